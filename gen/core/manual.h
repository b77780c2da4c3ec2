/* attn.h - FlashAttention for CPUs in one C header. MIT licence. */

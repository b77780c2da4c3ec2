/* 64 KiB of ROM in place of a BIOS. Bochs has put the Linux kernel and the initramfs into memory;
 * this enters the kernel where PVH does (32-bit protected mode, no paging, ebx = start info).
 * avx512.sh defines IMAGE, IMAGE_END, KERNEL_ENTRY, INITRAMFS and INITRAMFS_SIZE. */
  .set MEMORY, 512 << 20
  .text
  .code16
start:
  cli
  lgdtl %cs:gdt_pointer - start
  mov %cr0, %eax
  or $1, %al
  mov %eax, %cr0
  ljmpl $8, $protected
  .code32
protected:
  mov $16, %eax
  mov %eax, %ds
  mov %eax, %es
  mov %eax, %ss
  /* Bochs 2.7 reads the image in one go, but finds each block of 128 KiB its place when it is
   * first used, one after the other: so use them in order. */
  mov $IMAGE, %esi
1:
  mov (%esi), %al
  add $0x20000, %esi
  cmp $IMAGE_END, %esi
  jb 1b
  mov $start_info, %ebx
  mov $KERNEL_ENTRY, %eax
  jmp *%eax

  .balign 8
gdt:
  .quad 0, 0x00cf9b000000ffff, 0x00cf93000000ffff /* null, code, data: 4 GiB each */
gdt_pointer:
  .word . - gdt - 1
  .long gdt
  .balign 8
start_info: /* struct hvm_start_info: magic, version, flags, modules; addresses; no ACPI */
  .long 0x336ec578, 1, 0, 1
  .long initramfs, 0, command_line, 0, 0, 0, memory_map, 0
  .long 2, 0
initramfs: /* address, size, command line, reserved */
  .quad INITRAMFS, INITRAMFS_SIZE, 0, 0
memory_map: /* address, size, type 1 (RAM) */
  .quad 0, 0xa0000, 1
  .quad 0x100000, MEMORY - 0x100000, 1

command_line:
  .ascii "console=ttyS0,115200 quiet loglevel=2 panic=-1 reboot=t idle=halt pci=off acpi=off "
  /* CPUID tells another clock than Bochs has: delays would last 175 times too long. */
  .ascii "tsc_early_khz=20000 "
  /* Bochs 2.7 tells a wrong size of compacted XSAVE areas. */
  .ascii "noxsaves clearcpuid=xsavec "
  /* The rest saves time: four fifths of the instructions of a boot. */
  .ascii "mitigations=off cryptomgr.notests lsm= audit=0 init_on_alloc=0 initcall_blacklist="
  .ascii "load_system_certificate_list,ftrace_check_for_weak_functions,tracer_init_tracefs,"
  .asciz "trace_eval_init,init_kprobe_trace"

  .org 0xfff0 /* the first instruction of the machine */
  .code16
  ljmp $0xf000, $0
  .org 0x10000

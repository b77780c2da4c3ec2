#!/bin/sh
# Runs a static x86-64 Linux program on an emulated CPU with AVX-512 (F, CD, BW, DQ, VL: a
# Skylake-X). Bochs emulates it, and Debian's cloud kernel, started without a BIOS, boots in 5 to
# 10 seconds. PROGRAM is the only process.
#
#   tests/emulate/avx512.sh BUILD_DIR PROGRAM [ARGS...]
#
# Standard output is PROGRAM's, as it comes; its standard error is shown at the end. The exit status
# is PROGRAM's, 128 + n if signal n ended it, 125 if the machine failed, and 77, with the reason on
# standard error, if the machine cannot be built here. BUILD_DIR serves one run at a time. PROGRAM
# sees the environment variables ATTN_*. This script knows:
#   EMULATE_FILES    files and folders to copy into PROGRAM's current folder, /
#   EMULATE_KERNEL   a vmlinuz to use instead of downloading one
#   EMULATE_TIMEOUT  seconds that the machine may run, 1500 by default
# Packages of Debian 12: bochs bochs-term cpio lz4 gcc libc6-dev (without recommended ones).
set -eu
fail() { status=$1; shift; echo "avx512.sh: $*" >&2; exit "$status"; }
skip() { fail 77 "skipped: $*"; }
here=$(cd "$(dirname "$0")" && pwd)

[ $# -ge 2 ] || fail 2 "usage: avx512.sh BUILD_DIR PROGRAM [ARGS...]"
build=$1 program=$2
shift 2
for tool in bochs cpio lz4 cc ld objcopy readelf; do
  command -v $tool >/dev/null || skip "no $tool (packages: bochs bochs-term cpio lz4 gcc)"
done
[ -f "$program" ] || fail 2 "no file $program"
if readelf -lW "$program" | grep -q INTERP; then fail 2 "$program is not linked with -static"; fi
rm -rf "$build/root"
mkdir -p "$build/root"
cp "$program" "$build/root/program"
[ -z "${EMULATE_FILES:-}" ] || cp -r $EMULATE_FILES "$build/root"
cd "$build"

get_kernel() {
  if [ -n "${EMULATE_KERNEL:-}" ]; then
    cp "$EMULATE_KERNEL" vmlinuz
    return
  fi
  package=$(apt-cache depends linux-image-cloud-amd64 2>/dev/null | sed -n 's/^ *Depends: //p')
  [ -n "$package" ] || skip "no package linux-image-cloud-amd64 (apt-get update?)"
  rm -rf deb
  mkdir deb
  (cd deb && apt-get download "$package") >download.log 2>&1 || skip "cannot download $package"
  dpkg -x deb/*.deb deb
  mv deb/boot/vmlinuz-* vmlinuz
  rm -r deb
}

# Unpacked here, where it costs nothing. Offsets are those of Linux' x86 boot protocol; the last
# four bytes of the packed kernel are its size.
field() { od -An -v -t "u$2" -j "$1" -N "$2" vmlinuz | tr -d ' '; }
unpack_kernel() {
  start=$((($(field 0x1f1 1) + 1) * 512 + $(field 0x248 4) + 1))
  case $(tail -c "+$start" vmlinuz | od -An -t x1 -N 4 | tr -d ' ') in
    02214c18) unpack="lz4 -dc" ;;
    28b52ffd) unpack="zstd -dc" ;;
    fd377a58) unpack="xz -dc" ;;
    *) skip "vmlinuz is packed in an unknown way" ;;
  esac
  tail -c "+$start" vmlinuz | head -c "$(($(field 0x24c 4) - 4))" | $unpack >vmlinux
}

# The kernel as it lies in memory from $base on, without its type information, which it would parse.
# The memory behind the last byte of the file is the kernel's too, up to the end of its segments.
base=$((0x1000000))
make_kernel() {
  get_kernel
  unpack_kernel
  # The entry point is in an ELF note of type 0x12: four bytes, the lowest first.
  readelf -nW vmlinux |
    sed -n 's/.*(0x00000012).*data: \(..\) \(..\) \(..\) \(..\).*/0x\4\3\2\1/p' >entry
  [ -s entry ] || skip "vmlinuz has no PVH entry point"
  end=$(readelf -lW vmlinux | awk '$1 == "LOAD" { end = $4 "+" $6 } END { print end }')
  objcopy -O binary -S -R .BTF -R .BTF_ids vmlinux kernel.tmp
  truncate -s $((($end - base + 4095) / 4096 * 4096)) kernel.tmp
  rm vmlinux
  mv kernel.tmp kernel.bin
}
[ -s kernel.bin ] || make_kernel

cc -Os -static -o root/init "$here/init.c"
printf '%s\0' "$program" "$@" >root/arguments
env -0 | grep -z '^ATTN_' >root/environment || true
(cd root && find . | cpio -o -H newc -R 0:0 --quiet) >initramfs
cat kernel.bin initramfs >memory.img

initramfs=$((base + $(wc -c <kernel.bin)))
define() { printf -- '-Wa,--defsym,%s=%s ' "$@"; }
cc -m32 -c -o boot.o "$here/boot.S" $(define IMAGE $base KERNEL_ENTRY "$(cat entry)" \
  IMAGE_END $((base + $(wc -c <memory.img))) INITRAMFS $initramfs \
  INITRAMFS_SIZE "$(wc -c <initramfs)")
ld -m elf_i386 -Ttext 0xf0000 -e 0xf0000 --oformat binary -o boot.rom boot.o

# Debian's Bochs has its debugger built in, which waits for "c" (continue). It ignores SIGTERM.
rm -rf root status.txt console.txt
echo c | TERM=vt100 timeout -s KILL "${EMULATE_TIMEOUT:-1500}" \
  bochs -f "$here/bochsrc" 3>&1 >bochs.out 2>&1 | cat
[ ! -s console.txt ] || tr -d '\r' <console.txt >&2
[ -s status.txt ] || fail 125 "the machine stopped or was stopped too early, see $build/bochs.log"
exit "$(cat status.txt)"

/* The first process of the machine that avx512.sh boots: runs /program with the arguments and the
 * environment in files (strings that end with a null byte), copies its standard output to the first
 * printer port and its exit status to the second, and stops Bochs. Standard error is the console.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum { PRINTER_1 = 0x378, PRINTER_2 = 0x278, BOCHS_SHUTDOWN = 0x8900 };

static void print(unsigned short port, const char *text, ssize_t size) {
  for (ssize_t i = 0; i < size; i++) {
    outb((unsigned char)text[i], port);
    outb(0x0d, (unsigned short)(port + 2)); /* strobe on, off */
    outb(0x0c, (unsigned short)(port + 2));
  }
}

static char **read_strings(const char *path) {
  enum { MAX_SIZE = 1 << 17, MAX_STRINGS = 1 << 12 };
  char *text = calloc(MAX_SIZE, 1);
  char **strings = calloc(MAX_STRINGS, sizeof *strings);
  int file = open(path, O_RDONLY);
  ssize_t size = read(file, text, MAX_SIZE - 1);
  int count = 0;
  for (char *s = text; s < text + size && count < MAX_STRINGS - 1; s += strlen(s) + 1) {
    strings[count++] = s;
  }
  close(file);
  return strings;
}

static pid_t start_program(int output) {
  pid_t child = fork();
  if (child == 0) {
    dup2(output, STDOUT_FILENO);
    execve("/program", read_strings("/arguments"), read_strings("/environment"));
    perror("/program");
    _exit(127);
  }
  close(output);
  return child;
}

int main(void) {
  char buffer[4096];
  ssize_t size;
  int output[2], status = 0;
  mkdir("/proc", 0755);
  mkdir("/tmp", 0777);
  if (mount("none", "/proc", "proc", 0, NULL) || pipe(output) || iopl(3)) perror("init");

  pid_t child = start_program(output[1]);
  while ((size = read(output[0], buffer, sizeof buffer)) > 0) print(PRINTER_1, buffer, size);
  waitpid(child, &status, 0);
  status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  size = snprintf(buffer, sizeof buffer, "%d\n", status);
  print(PRINTER_2, buffer, size);

  tcdrain(STDERR_FILENO);
  for (const char *s = "Shutdown"; *s; s++) outb((unsigned char)*s, BOCHS_SHUTDOWN);
  for (;;) pause();
}

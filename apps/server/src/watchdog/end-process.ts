import { writeSync } from 'node:fs'

/** Exit code of a process that its watchdog ended: an error of its own (EX_SOFTWARE). */
const blockedCode = 70

const standardError = 2

/** Longest wait until standard error takes the report. Whoever does not read it must not keep the process. */
const writableMs = 1_000

/** Writes a last line to standard error and ends the process, without the help of its main thread. */
export async function endProcess(lastLine: string): Promise<void> {
  const system = await openSystem()
  try {
    if (system === null || system.poll(descriptorToWrite(), 1, writableMs) > 0) writeSync(standardError, lastLine)
  } catch {
    // It is closed.
  }
  // `process.exit` ends only the thread that calls it. A signal to itself does nothing where the process is the first of its container.
  system?._exit(blockedCode)
  process.kill(process.pid, 'SIGKILL')
}

/** Names of the system's library on Linux with glibc and with musl, and on macOS. */
const libraries = ['libc.so.6', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1', 'libSystem.B.dylib']

/** `null`: there is none of these libraries. */
async function openSystem() {
  for (const name of libraries) {
    try {
      // Loaded here, because it is never needed otherwise.
      const { dlopen } = await import('bun:ffi')
      return dlopen(name, { _exit: { args: ['i32'], returns: 'void' }, poll: { args: ['ptr', 'u64', 'i32'], returns: 'i32' } }).symbols
    } catch {
      // Another system.
    }
  }
  return null
}

/** A `struct pollfd` that asks whether standard error can be written (POLLOUT), on machines that store the lower bytes first. */
const descriptorToWrite = (): Int32Array => new Int32Array([standardError, 4])

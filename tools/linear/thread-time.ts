import { dlopen, FFIType, ptr } from 'bun:ffi'

/**
 * The C library of a system, and its number of CLOCK_THREAD_CPUTIME_ID. Bun's `process.threadCpuUsage` is the same time in steps of one to
 * four milliseconds, which is longer than most calls.
 */
const clocks: Readonly<Record<string, { readonly library: string; readonly id: number }>> = {
  linux: { library: 'libc.so.6', id: 3 },
  darwin: { library: 'libSystem.B.dylib', id: 16 },
}

/** Milliseconds that the processor has worked for this thread; elsewhere the time that has passed, whose least of several runs is about the same. */
export const threadMs: () => number = openClock() ?? (() => performance.now())

function openClock(): (() => number) | null {
  const clock = clocks[process.platform]
  if (clock === undefined) return null
  try {
    const { symbols } = dlopen(clock.library, { clock_gettime: { args: [FFIType.i32, FFIType.ptr], returns: FFIType.i32 } })
    const time = new BigInt64Array(2)
    const address = ptr(time)
    return () => {
      symbols.clock_gettime(clock.id, address)
      return Number(time[0]) * 1000 + Number(time[1]) / 1e6
    }
  } catch {
    return null
  }
}

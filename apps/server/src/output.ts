import { constants, fstatSync, openSync, writeSync } from 'node:fs'
import { isatty } from 'node:tty'
import { nowSeconds, systemClock, utcTime } from './lib/clock.ts'

/** Where the lines of the log go. Nobody who writes to it ever waits, and no failure of its reader reaches them. */
export interface Output {
  /** Writes a line, which ends with a line feed, at once or as soon as the reader takes it. It is dropped while too many wait. */
  write(line: string): void
  /** Resolves when no line waits any more, or after a second. */
  flush(): Promise<void>
}

/** Takes bytes without waiting. */
interface Sink {
  /** @returns how many of the bytes it took; 0 = try later. @throws if they cannot be written at present */
  write(bytes: Uint8Array): number
}

const standardDescriptor = 1

/** Characters that wait for the reader: beyond it lines are dropped until half of them are written. */
const waitingMax = 4 * 1024 * 1024
/** Characters that are written at once: what a pipe holds. */
const chunkMax = 64 * 1024
/** Time until the next try where the reader is slower than the log. */
const fullMs = 20
/** Time until the next try where the reader is gone, or the disk is full. */
const brokenMs = 1_000
/** Longest time that the end of the process is delayed for lines that wait. */
const flushMs = 1_000

let own: Output | null = null

/** The standard output of this process: one for all who write to it, so that their lines stay in order. */
export function standardOutput(): Output {
  own ??= bufferOutput(openSink())
  return own
}

function bufferOutput(sink: Sink): Output {
  const lines: string[] = []
  let lineCharacters = 0
  /** Bytes of the lines that are being written. */
  let chunk: Uint8Array = new Uint8Array()
  let dropped = 0
  let isBroken = false
  let timer: ReturnType<typeof setTimeout> | null = null

  const isEmpty = (): boolean => chunk.length === 0 && lines.length === 0

  function keep(line: string): void {
    lines.push(line)
    lineCharacters += line.length
  }

  function writeWaiting(): void {
    timer = null
    try {
      while (!isEmpty()) {
        if (chunk.length === 0) chunk = takeChunk()
        const taken = sink.write(chunk)
        isBroken = false
        if (taken === 0) {
          retryIn(fullMs)
          return
        }
        chunk = chunk.subarray(taken)
        if (dropped === 0 || lineCharacters > waitingMax / 2) continue
        keep(droppedLine(dropped))
        dropped = 0
      }
    } catch {
      isBroken = true
      retryIn(brokenMs)
    }
  }

  function retryIn(ms: number): void {
    timer = setTimeout(writeWaiting, ms)
    timer.unref()
  }

  function takeChunk(): Uint8Array {
    let count = 0
    let characters = 0
    for (const { length } of lines) {
      if (count > 0 && characters + length > chunkMax) break
      count += 1
      characters += length
    }
    lineCharacters -= characters
    return Buffer.from(lines.splice(0, count).join(''))
  }

  // Whoever ends the process without a flush, such as a second signal, does not wait; what the reader takes at once is still written.
  process.once('exit', () => {
    if (timer !== null) clearTimeout(timer)
    writeWaiting()
  })

  return {
    write(line) {
      // Once a line was dropped, so are the next ones: the notice of how many there were stands where they would stand.
      if (dropped > 0 || lineCharacters + line.length > waitingMax) {
        dropped += 1
        return
      }
      keep(line)
      if (timer === null) writeWaiting()
    },
    async flush() {
      const untilMs = systemClock.monotonicMs() + flushMs
      while (!isEmpty() && !isBroken && systemClock.monotonicMs() < untilMs) await new Promise((resolve) => setTimeout(resolve, fullMs))
    },
  }
}

function droppedLine(lines: number): string {
  const time = utcTime(nowSeconds(systemClock))
  return `${JSON.stringify({ level: 'warn', time, lines, msg: 'log lines dropped: nobody read the standard output in time' })}\n`
}

/**
 * A file takes bytes at once. A pipe or a terminal may block the whole process (a terminal that is stopped by Ctrl-S does), so it is opened a
 * second time without blocking: the flag on the inherited descriptor would also be that of every other process that has it.
 */
function openSink(): Sink {
  const isFifo = fstatSync(standardDescriptor).isFIFO()
  const isSocket = fstatSync(standardDescriptor).isSocket()
  if (!isFifo && !isSocket && !isatty(standardDescriptor)) return descriptorSink(standardDescriptor)
  return (isSocket ? null : openWithoutBlocking()) ?? streamSink()
}

/** `null`: the system has no such path, or the pipe belongs to another user. */
function openWithoutBlocking(): Sink | null {
  try {
    const flags = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY
    return descriptorSink(openSync(`/proc/self/fd/${standardDescriptor}`, flags))
  } catch {
    return null
  }
}

function descriptorSink(descriptor: number): Sink {
  return {
    write(bytes) {
      try {
        return writeSync(descriptor, bytes)
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return 0
        throw error
      }
    },
  }
}

/** Sockets cannot be opened a second time, but the runtime writes to them without blocking. */
function streamSink(): Sink {
  let isWriting = false
  let failure: Error | null = null
  // Each failure also comes to its own call below. Without a listener it would end the process.
  process.stdout.on('error', () => {})
  return {
    write(bytes) {
      if (isWriting) return 0
      if (failure !== null) {
        const error = failure
        failure = null
        throw error
      }
      isWriting = true
      process.stdout.write(bytes, (error) => {
        isWriting = false
        failure = error ?? null
      })
      return bytes.length
    },
  }
}

import { readFileSync } from 'node:fs'
import { connect } from 'node:net'

// Requests a short response repeatedly over one connection, and measures how long each takes, and how much of that time the server's main
// thread was running: the rest is other work of the machine. It runs in a separate thread, so that it waits for the server only.

declare const self: Worker

export interface ProbeOf {
  readonly port: number
  readonly pid: number
  readonly path: string
}

/** Milliseconds. */
export interface Waited {
  readonly wallMs: number
  readonly busyMs: number
}

/** Between a response and the next request. */
const pauseMs = 5

self.onmessage = ({ data: { port, pid, path } }: MessageEvent<ProbeOf>) => {
  const socket = connect(port, '127.0.0.1').setNoDelay(true)
  const request = `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`
  let requestedMs = 0
  let busyBefore = 0
  const ask = (): void => {
    busyBefore = busyMs(pid)
    requestedMs = performance.now()
    socket.write(request)
  }
  const report = (waited: Waited): void => self.postMessage(waited)
  socket.on('connect', ask)
  socket.on('data', () => {
    report({ wallMs: performance.now() - requestedMs, busyMs: busyMs(pid) - busyBefore })
    setTimeout(ask, pauseMs)
  })
  socket.on('error', () => report({ wallMs: Number.POSITIVE_INFINITY, busyMs: Number.POSITIVE_INFINITY }))
}

/** CPU time of the main thread of a process (Linux, proc(5)). */
function busyMs(pid: number): number {
  const [ns = '0'] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')
  return Number(ns) / 1e6
}

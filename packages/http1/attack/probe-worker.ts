import { readFileSync } from 'node:fs'
import { connect } from 'node:net'

// Asks a server for something short, again and again over one connection, and measures how long each answer takes, and how much of that time
// the server's main thread was at work: on a machine that has other work too, the rest is not the server's doing. A thread of its own, so that
// it waits for nobody but the server.

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

/** Between an answer and the next question. */
const pauseMs = 5

self.onmessage = ({ data: { port, pid, path } }: MessageEvent<ProbeOf>) => {
  const socket = connect(port, '127.0.0.1').setNoDelay(true)
  const request = `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`
  let askedMs = 0
  let busyBefore = 0
  const ask = (): void => {
    busyBefore = busyMs(pid)
    askedMs = performance.now()
    socket.write(request)
  }
  const tell = (waited: Waited): void => self.postMessage(waited)
  socket.on('connect', ask)
  socket.on('data', () => {
    tell({ wallMs: performance.now() - askedMs, busyMs: busyMs(pid) - busyBefore })
    setTimeout(ask, pauseMs)
  })
  socket.on('error', () => tell({ wallMs: Number.POSITIVE_INFINITY, busyMs: Number.POSITIVE_INFINITY }))
}

/** How long the main thread of a process has been at work (Linux, proc(5)). */
function busyMs(pid: number): number {
  const [ns = '0'] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')
  return Number(ns) / 1e6
}

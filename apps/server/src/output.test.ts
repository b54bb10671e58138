import { afterAll, expect, test } from 'bun:test'
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../test/server-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-output-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A process that writes what its standard input says: `lines FROM TO`, each line with 1,000 characters more; it echoes to standard error. */
const program = `
  import { standardOutput } from '${join(import.meta.dir, 'output.ts')}'
  const output = standardOutput()
  for await (const order of console) {
    const [from, to] = order.split(' ').map(Number)
    for (let line = from; line < to; line += 1) output.write(JSON.stringify({ line, text: 'x'.repeat(1000) }) + '\\n')
    console.error('wrote ' + order)
  }
  await output.flush()
`

function start({ stdout }: { readonly stdout: number }) {
  const child = Bun.spawn({
    cmd: [process.execPath, '--no-orphans', '-e', program],
    stdin: 'pipe',
    stdout,
    stderr: 'pipe',
  })
  let responses = ''
  const reading = (async () => {
    for await (const bytes of child.stderr) responses += new TextDecoder().decode(bytes)
  })()
  return {
    child,
    /** Resolves when the process has written these lines, or keeps them, or has dropped them: it never waits for its reader. */
    async writeLines(from: number, to: number) {
      child.stdin.write(`${from} ${to}\n`)
      child.stdin.flush()
      await until(() => responses.includes(`wrote ${from} ${to}\n`) || child.exitCode !== null)
      expect(child.exitCode).toBeNull()
    },
    async end() {
      child.stdin.end()
      await reading
      return await child.exited
    },
  }
}

let pipes = 0

/** A named pipe, and what reads all of it that is there. */
async function makePipe() {
  const path = join(folder, `pipe${pipes++}`)
  await Bun.$`mkfifo ${path}`
  const openReader = () => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const reader = openReader()
  return { reader, openReader, writer: openSync(path, constants.O_WRONLY) }
}

function readAvailable(reader: number): string {
  const bytes = Buffer.alloc(1 << 20)
  try {
    return bytes.toString('utf8', 0, readSync(reader, bytes))
  } catch {
    return ''
  }
}

const numberedLines = (text: string): readonly number[] =>
  text
    .split('\n')
    .filter((line) => line.includes('"line":'))
    .map((line) => JSON.parse(line).line)

test('lines beyond the buffer are dropped, and a line says how many when the reader goes on', async () => {
  const { reader, writer } = await makePipe()
  const { writeLines, end } = start({ stdout: writer })
  closeSync(writer)
  const count = 10_000
  await writeLines(0, count)
  let text = ''
  const readOn = (words: string) =>
    until(() => {
      text += readAvailable(reader)
      return text.includes(words)
    })
  await readOn('log lines dropped')
  await writeLines(count, count + 1)
  await readOn(`"line":${count},`)
  const [, dropped] = /"lines":(\d+),"msg":"log lines dropped/.exec(text) ?? []
  const written = numberedLines(text)
  expect(written.length).toBeGreaterThan(3_000)
  expect(written.length + Number(dropped)).toBe(count + 1)
  expect(written).toEqual([...written].sort((a, b) => a - b))
  expect(await end()).toBe(0)
}, 60_000)

test('a pipe that gets a new reader is written again, with the lines that waited', async () => {
  const { reader, openReader, writer } = await makePipe()
  const { writeLines, end } = start({ stdout: writer })
  closeSync(writer)
  await writeLines(0, 2)
  await until(() => readAvailable(reader).includes('"line":1,'))
  closeSync(reader)
  await writeLines(2, 4)
  const next = openReader()
  let text = ''
  await until(() => {
    text += readAvailable(next)
    return text.includes('"line":3,')
  })
  expect(numberedLines(text)).toEqual([2, 3])
  expect(await end()).toBe(0)
}, 60_000)

test('a file on a full disk is written again when there is room, with the lines that waited', async () => {
  const mount = join(folder, 'small')
  await Bun.$`mkdir ${mount}`
  const mounted = await Bun.$`mount -t tmpfs -o size=64k tmpfs ${mount}`.quiet().nothrow()
  // Only root may mount; others have seen the pipe, which goes the same way.
  if (mounted.exitCode !== 0) return
  try {
    const file = openSync(join(mount, 'log'), 'a')
    const ballast = join(mount, 'ballast')
    await Bun.$`head -c 60000 /dev/zero > ${ballast}`.quiet().nothrow()
    const { writeLines, end } = start({ stdout: file })
    closeSync(file)
    await writeLines(0, 40)
    rmSync(ballast)
    const text = () => Bun.file(join(mount, 'log')).text()
    await until(async () => (await text()).includes('"line":39,'))
    expect(numberedLines(await text())).toEqual(Array.from({ length: 40 }, (_, line) => line))
    expect(await end()).toBe(0)
  } finally {
    await Bun.$`umount ${mount}`.quiet().nothrow()
  }
}, 60_000)

test('a terminal that takes nothing blocks nobody', async () => {
  // Python opens the terminal, because the one of Bun always reads.
  const script = `
import os, pty, subprocess, sys
a, b = pty.openpty()
child = subprocess.Popen(sys.argv[1:], stdin=0, stdout=b)
sys.exit(child.wait())
`
  if (Bun.which('python3') === null) return
  const child = Bun.spawn({
    cmd: ['python3', '-c', script, process.execPath, '--no-orphans', '-e', program],
    stdin: 'pipe',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  child.stdin.write('0 10000\n')
  child.stdin.end()
  expect(await new Response(child.stderr).text()).toContain('wrote 0 10000')
  expect(await child.exited).toBe(0)
}, 60_000)

import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { delimiter, join } from 'node:path'
import { until } from './server-process.ts'

// Reverse proxies that tests run as separate processes.

/** The path of a program, also in the folders of servers, which are not on the path of every account; `null` = it is not installed. */
export const findServer = (program: string): string | null =>
  Bun.which(program, { PATH: [process.env['PATH'], '/usr/sbin'].join(delimiter) })

/** The text with each of these parts replaced. @throws where one is missing */
export function withPlaces(text: string, places: readonly (readonly [from: string, to: string])[]): string {
  return places.reduce((written, [from, to]) => {
    if (!written.includes(from)) throw new Error(`the configuration does not have ${from}`)
    return written.replace(from, to)
  }, text)
}

/**
 * Writes a configuration of nginx into an empty folder.
 * @param inside what stands inside `http`
 * @returns the arguments that start it
 */
export function nginxArguments(folder: string, inside: string): readonly string[] {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')
  const path = join(folder, 'nginx.conf')
  const main = `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;\nevents {}`
  writeFileSync(path, `${main}\nhttp { access_log off; ${temporary}\n${inside}\n}`)
  return ['-p', folder, '-c', path]
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })

export interface ProxyProcess {
  stop(): Promise<void>
}

interface ProxyCommand {
  readonly program: string | null
  readonly args: readonly string[]
  /** On which it listens. */
  readonly port: number
  /** Where it keeps what it stores in the home folder. */
  readonly folder: string
}

/** Starts a proxy and waits until it listens. @throws Error with what it printed, if it ends */
export async function startProxyProcess({ program, args, port, folder }: ProxyCommand): Promise<ProxyProcess> {
  if (program === null) throw new Error('the program of this proxy is not installed')
  const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
  const child = Bun.spawn([program, ...args], { env, stdout: 'pipe', stderr: 'pipe' })
  let printed = ''
  const reading = [child.stdout, child.stderr].map(async (stream) => {
    for await (const bytes of stream) printed += new TextDecoder().decode(bytes)
  })
  let isOver = false
  void child.exited.then(() => {
    isOver = true
  })
  await until(async () => isOver || (await isOpen(port)))
  if (isOver) {
    await Promise.all(reading)
    throw new Error(`${program} ended: ${printed}`)
  }
  return {
    async stop() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { until } from './channel-scene.ts'

/** A real nginx, if the machine has one. */
export const nginx = Bun.which('nginx')

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })

/** The text with each of these parts replaced. @throws where one is missing */
export function withPlaces(text: string, places: readonly (readonly [from: string, to: string])[]): string {
  return places.reduce((written, [from, to]) => {
    if (!written.includes(from)) throw new Error(`the configuration does not have ${from}`)
    return written.replace(from, to)
  }, text)
}

/**
 * Starts nginx in an empty folder and waits until it listens.
 * @param configuration what stands inside `http`
 */
export async function startNginx(folder: string, configuration: string, port: number): Promise<{ stop(): Promise<void> }> {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')
  const whole = `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;\nevents {}\nhttp { access_log off; ${temporary}\n${configuration}\n}`
  writeFileSync(join(folder, 'nginx.conf'), whole)
  const server = Bun.spawn([nginx ?? '', '-p', folder, '-c', join(folder, 'nginx.conf')], { stdout: 'ignore', stderr: 'inherit' })
  await until(() => isOpen(port), Boolean)
  return {
    async stop() {
      server.kill()
      await server.exited
    },
  }
}

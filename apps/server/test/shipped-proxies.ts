import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '@sluice/http1/http-server'
import { findServer, nginxArguments, startProxyProcess, withPlaces } from './proxy-process.ts'

// The proxy configurations of the documentation and of `deploy/`, run by the real programs.

/** Name of the host in the documentation. */
export const shippedHost = 'ai.example.com'

interface Setting {
  /** Empty, for this proxy alone. */
  readonly folder: string
  /** Where the gateway listens, as `127.0.0.1:3000`. */
  readonly gateway: string
  readonly port: number
  /** Files in PEM. */
  readonly certificate: string
  readonly key: string
}

export interface ShippedProxy {
  readonly name: string
  readonly scheme: 'http' | 'https'
  /** Its program; `null` = it is not installed. */
  readonly program: string | null
  /** Writes the configuration with the places of this machine. @returns the arguments that start it */
  readonly prepare: (setting: Setting) => readonly string[]
}

const root = join(import.meta.dir, '../../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

/** The block of this language on the page about proxies. */
function blockOf(language: string): string {
  const [, block] = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(read('docs/https.md')) ?? []
  if (block === undefined) throw new Error(`the page has no block in ${language}`)
  return block
}

/** @param places the start of the site, and the address of the gateway, as they are written */
function caddy(name: string, text: string, [site, address]: readonly [string, string]): ShippedProxy {
  return {
    name,
    scheme: 'https',
    program: findServer('caddy'),
    prepare({ folder, gateway, port, certificate, key }) {
      const opened = `https://${shippedHost}:${port} {\n\tbind 127.0.0.1\n\ttls ${certificate} ${key}`
      const path = join(folder, 'Caddyfile')
      const block = withPlaces(text, [
        [site, opened],
        [address, gateway],
      ])
      writeFileSync(path, `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${block}`)
      return ['run', '--config', path, '--adapter', 'caddyfile']
    },
  }
}

export const shippedProxies: readonly ShippedProxy[] = [
  {
    name: 'the balancer of compose.yaml (nginx)',
    scheme: 'http',
    program: findServer('nginx'),
    prepare(setting) {
      const places = [
        ['sluice:3000 ', `${setting.gateway} `],
        ['sluice-2:3000', setting.gateway],
        ['listen 8080', `listen 127.0.0.1:${setting.port}`],
      ] as const
      return nginxArguments(setting.folder, withPlaces(read('deploy/nginx.conf'), places))
    },
  },
  {
    name: 'nginx',
    scheme: 'https',
    program: findServer('nginx'),
    prepare(setting) {
      const places = [
        ['127.0.0.1:3000', setting.gateway],
        ['listen 443', `listen 127.0.0.1:${setting.port}`],
        ['/etc/letsencrypt/live/ai.example.com/fullchain.pem', setting.certificate],
        ['/etc/letsencrypt/live/ai.example.com/privkey.pem', setting.key],
      ] as const
      return nginxArguments(setting.folder, withPlaces(blockOf('nginx'), places))
    },
  },
  {
    name: 'HAProxy',
    scheme: 'https',
    program: findServer('haproxy'),
    prepare({ folder, gateway, port, certificate, key }) {
      const both = join(folder, 'both.pem')
      writeFileSync(both, readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8'))
      const places = [
        ['127.0.0.1:3000', gateway],
        ['bind :443', `bind 127.0.0.1:${port}`],
        ['/etc/haproxy/ai.example.com.pem', both],
      ] as const
      const path = join(folder, 'haproxy.cfg')
      writeFileSync(path, withPlaces(blockOf('haproxy'), places))
      return ['-db', '-f', path]
    },
  },
  caddy('Caddy', blockOf('caddy'), ['ai.example.com {', '127.0.0.1:3000']),
  caddy('the proxy of compose.yaml (Caddy)', read('deploy/Caddyfile'), ['{$SITE} {', 'sluice:3000']),
]

/** Starts a proxy on a free port, with files in a folder of its own. */
export async function startShipped({ program, prepare }: ShippedProxy, setting: Omit<Setting, 'port'>) {
  const port = freePort('127.0.0.1', 0)
  const { stop } = await startProxyProcess({ program, args: prepare({ ...setting, port }), port, folder: setting.folder })
  return { port, stop }
}

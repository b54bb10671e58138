import { connect, type Socket } from 'node:net'
import type { Settings } from '@sluice/contract'
import type { Transporter } from 'nodemailer'
import { AppError } from '../lib/app-error.ts'
import type { Clock } from '../lib/clock.ts'
import type { Deadlines } from '../lib/deadlines.ts'
import { inTime } from '../lib/in-time.ts'
import type { NextPeer, PeersOf } from '../relay/upstream/http1/peers.ts'
import type { Handshake } from '../relay/upstream/http1/tunnel.ts'
import { createServiceBreaker } from './service-breaker.ts'
import { createLoginReader } from './smtp-logins.ts'
import { unreachable } from './unreachable.ts'

/** A composed mail. */
export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** Sends mail through the SMTP server of the options. */
export interface Mailer {
  /** Whether a server is configured. */
  isSet(): boolean
  /** Resolves when the server accepted it. @throws AppError mail_not_set, mail_failed, service_unreachable */
  send(mail: Mail): Promise<void>
  /** Resolves when the server has taken the login, without a mail. @throws AppError mail_failed, service_unreachable */
  check(): Promise<void>
}

/** The part of nodemailer's transport that is used. */
type MailTransport = Pick<Transporter, 'sendMail' | 'verify'>

interface SmtpDeps {
  readonly settings: () => Settings
  readonly clock: Clock
  readonly deadlines: Deadlines
  readonly peersOf: PeersOf
  readonly network: MailNetwork
}

/** Network settings that only tests change. */
export interface MailNetwork {
  /** The port with implicit TLS; on all others the connection begins in plain text (RFC 8314), unless `SMTPSSLEnabled` is set. */
  readonly tlsPort: number
  /** A certificate to trust in addition to the system's; empty: none. */
  readonly trustedCertificate: string
  /** Time limit for a whole mail, from the first address on: a server that keeps sending lines never exceeds the limit of a step. */
  readonly mailMs: number
}

export const mailNetwork: MailNetwork = { tlsPort: 465, trustedCertificate: '', mailMs: 20_000 }

/** Connection timeout, greeting timeout and idle timeout. */
const stepMs = 5_000

/** Error codes of an unreachable server, as opposed to a refusal. */
const unreachableCodes: ReadonlySet<string> = new Set(['ECONNECTION', 'ETIMEDOUT', 'EDNS', 'ESOCKET'])

/** The mail server as an origin, for the address check. */
export function mailOrigin({ SMTPServer, SMTPPort }: Pick<Settings, 'SMTPServer' | 'SMTPPort'>): string {
  return `http://${SMTPServer.includes(':') ? `[${SMTPServer}]` : SMTPServer}:${SMTPPort}`
}

export function createMailer({ settings, clock, deadlines, peersOf, network }: SmtpDeps): Mailer {
  const service = 'SMTP'
  const breaker = createServiceBreaker(clock, service)

  /** Connects to a checked address: the library would resolve the name again, and might get another address (DNS rebinding). */
  async function reach({ SMTPServer, SMTPPort }: Settings): Promise<Socket> {
    try {
      const origin = mailOrigin({ SMTPServer, SMTPPort })
      const { hostname } = new URL(origin)
      return await connectToFirst(await peersOf({ origin, hostname, port: SMTPPort, serverName: null, proxy: null, isPublicOnly: false }))
    } catch (cause) {
      throw unreachable(service, cause)
    }
  }

  /** Uses a connection to the mail server, and gives it up when its time is over. */
  async function inMailTime(use: (transport: MailTransport, options: Settings) => Promise<unknown>): Promise<void> {
    const late = new AbortController()
    const error = (): AppError => {
      late.abort()
      return new AppError('service_unreachable', { params: { service }, cause: new Error('sending timed out') })
    }
    await inTime(withTransport(use, late.signal), { deadlines, ms: network.mailMs, error })
  }

  async function withTransport(use: (transport: MailTransport, options: Settings) => Promise<unknown>, signal: AbortSignal): Promise<void> {
    const options = settings()
    const connection = await reach(options)
    signal.addEventListener('abort', () => connection.destroy())
    if (signal.aborted) connection.destroy()
    // Loaded on first use: most servers rarely send mail, and the library takes several megabytes.
    const { createTransport } = await import('nodemailer')
    const logins = createLoginReader()
    const transport = createTransport({
      ...connectionOf(options, network),
      ...logins.options,
      getSocket: (_, callback) => callback(null, { connection }),
      greetingTimeout: stepMs,
      socketTimeout: stepMs,
      // Mails are our own text: the library must not read files or URLs for them.
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    try {
      await use(transport, options)
    } catch (cause) {
      throw isUnreachable(cause)
        ? new AppError('service_unreachable', { params: { service }, cause })
        : new AppError('mail_failed', { cause: logins.explain(cause) })
    } finally {
      transport.close()
      connection.destroy()
    }
  }

  return {
    isSet: () => isMailSet(settings()),
    async send(mail) {
      if (!isMailSet(settings())) throw new AppError('mail_not_set')
      await breaker.run(() => inMailTime((transport, options) => transport.sendMail(messageOf(mail, options))))
    },
    check: () => inMailTime((transport) => transport.verify()),
  }
}

const messageOf = ({ to, subject, text }: Mail, { SystemName, SMTPFrom, SMTPAccount }: Settings) => ({
  from: { name: oneLine(SystemName), address: SMTPFrom || SMTPAccount },
  to: { name: '', address: to },
  subject: oneLine(subject),
  text,
})

/** Tries the addresses in order. */
async function connectToFirst(peers: readonly NextPeer[]): Promise<Socket> {
  let last: unknown = new Error('the host name has no address')
  for (const nextPeer of peers) {
    const { address, port, tunnel } = nextPeer()
    try {
      const socket = await connectTo(address, port)
      return tunnel === null ? socket : await openTunnel(socket, tunnel)
    } catch (error) {
      last = error
    }
  }
  throw last
}

function connectTo(address: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port })
    const fail = (error: Error): void => {
      socket.destroy()
      reject(error)
    }
    const late = (): void => fail(new Error('connection timed out'))
    socket
      .setTimeout(stepMs)
      .once('timeout', late)
      .once('error', fail)
      .once('connect', () => {
        socket.setTimeout(0).off('timeout', late).off('error', fail)
        resolve(socket)
      })
  })
}

/** Resolves when what is sent on the connection reaches the mail server. */
function openTunnel(socket: Socket, handshake: Handshake): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      socket.destroy()
      reject(error)
    }
    const late = (): void => fail(new Error('the proxy timed out'))
    const closed = (): void => fail(new Error('the proxy closed the connection'))
    const push = (bytes: Buffer): void => {
      try {
        const next = handshake.push(bytes)
        if (next === 'more') return
        if (next !== 'open') {
          socket.write(next)
          return
        }
      } catch (error) {
        fail(error instanceof Error ? error : new Error(String(error)))
        return
      }
      socket.setTimeout(0).off('timeout', late).off('error', fail).off('close', closed).off('data', push).pause()
      resolve(socket)
    }
    socket.setTimeout(stepMs).once('timeout', late).once('error', fail).once('close', closed).on('data', push)
    socket.write(handshake.hello)
  })
}

function isMailSet({ SMTPServer, SMTPFrom, SMTPAccount }: Settings): boolean {
  return SMTPServer !== '' && (SMTPFrom || SMTPAccount) !== ''
}

function connectionOf(
  { SMTPServer, SMTPPort, SMTPSSLEnabled, SMTPAccount, SMTPToken }: Settings,
  { tlsPort, trustedCertificate }: MailNetwork,
) {
  const secure = SMTPSSLEnabled || SMTPPort === tlsPort
  // A stored password is kept when the account is cleared, so the account name decides whether to log in.
  const hasLogin = SMTPAccount !== ''
  return {
    host: SMTPServer,
    port: SMTPPort,
    secure,
    requireTLS: hasLogin,
    tls: {
      // Without a login TLS is opportunistic, as between mail servers: a local relay often has a self-signed certificate, and an
      // attacker who can forge one can as well remove the STARTTLS offer.
      rejectUnauthorized: hasLogin || secure,
      ...(trustedCertificate === '' ? {} : { ca: trustedCertificate }),
    },
    ...(hasLogin ? { auth: { user: SMTPAccount, pass: SMTPToken } } : {}),
  }
}

function isUnreachable(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && unreachableCodes.has(String(cause.code))
}

/** Keeps a header on one line, whatever a setting contains. */
function oneLine(text: string): string {
  return text.replace(/[\r\n\0]+/g, ' ').trim()
}

import type { Settings } from '@sluice/contract'
import { createTransport } from 'nodemailer'
import { AppError } from '../lib/app-error.ts'
import type { Clock } from '../lib/clock.ts'
import type { Guard } from './call.ts'
import { createCircuit } from './circuit.ts'

/** One mail, ready to be read. */
export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** Sends mail by the SMTP server of the options. */
export interface Mailer {
  /** Whether a server is set. */
  isSet(): boolean
  /** Resolves when the server has taken it. @throws AppError mail_not_set, mail_failed, outside_unreachable */
  send(mail: Mail): Promise<void>
}

interface SmtpDeps {
  readonly settings: () => Settings
  readonly clock: Clock
  readonly guard: Guard
  readonly network: MailNetwork
}

/** What tests, which own no mail server of the world, set otherwise. */
export interface MailNetwork {
  /** The port that speaks TLS from its first byte; every other begins in the clear (RFC 8314). */
  readonly tlsPort: number
  /** Certificate to trust beside the system's; empty = none. */
  readonly trustedCertificate: string
}

export const mailNetwork: MailNetwork = { tlsPort: 465, trustedCertificate: '' }

const stepMs = 5_000

/** What a server says when it cannot be reached, as against when it refuses. */
const unreachableCodes: ReadonlySet<string> = new Set(['ECONNECTION', 'ETIMEDOUT', 'EDNS', 'ESOCKET'])

export function createMailer({ settings, clock, guard, network }: SmtpDeps): Mailer {
  const service = 'SMTP'
  const circuit = createCircuit(clock, service)

  async function deliver({ to, subject, text }: Mail): Promise<void> {
    const options = settings()
    const transport = createTransport({
      ...connectionOf(options, network),
      connectionTimeout: stepMs,
      greetingTimeout: stepMs,
      socketTimeout: stepMs,
      dnsTimeout: stepMs,
      // What a mail holds is text of ours: nothing in it may make the library read a file or an address.
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    try {
      await transport.sendMail({
        from: { name: oneLine(options.SystemName), address: options.SMTPFrom || options.SMTPAccount },
        to: { name: '', address: to },
        subject: oneLine(subject),
        text,
      })
    } catch (cause) {
      throw isUnreachable(cause)
        ? new AppError('outside_unreachable', { params: { service }, cause })
        : new AppError('mail_failed', { cause })
    } finally {
      transport.close()
    }
  }

  return {
    isSet: () => isMailSet(settings()),
    async send(mail) {
      const options = settings()
      if (!isMailSet(options)) throw new AppError('mail_not_set')
      const host = options.SMTPServer.includes(':') ? `[${options.SMTPServer}]` : options.SMTPServer
      const target = `http://${host}:${options.SMTPPort}`
      await circuit.run(async () => {
        if (!(await guard(target)))
          throw new AppError('outside_unreachable', { params: { service }, cause: new Error('forbidden address') })
        await deliver(mail)
      })
    },
  }
}

function isMailSet({ SMTPServer, SMTPFrom, SMTPAccount }: Settings): boolean {
  return SMTPServer !== '' && (SMTPFrom || SMTPAccount) !== ''
}

function connectionOf({ SMTPServer, SMTPPort, SMTPAccount, SMTPToken }: Settings, { tlsPort, trustedCertificate }: MailNetwork) {
  // A password that is stored stays stored, so it is the name that says whether to log in.
  const hasLogin = SMTPAccount !== ''
  return {
    host: SMTPServer,
    port: SMTPPort,
    secure: SMTPPort === tlsPort,
    requireTLS: hasLogin,
    tls: {
      // Without a login TLS is taken where it is offered, as mail servers do among each other: a relay next door often has a
      // certificate of its own making, and whoever could forge one could as well leave the offer out.
      rejectUnauthorized: hasLogin || SMTPPort === tlsPort,
      ...(trustedCertificate === '' ? {} : { ca: trustedCertificate }),
    },
    ...(hasLogin ? { auth: { user: SMTPAccount, pass: SMTPToken } } : {}),
  }
}

function isUnreachable(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && unreachableCodes.has(String(cause.code))
}

/** Headers are one line each, whatever a setting holds. */
function oneLine(text: string): string {
  return text.replace(/[\r\n\0]+/g, ' ').trim()
}

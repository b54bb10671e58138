import { readFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { SMTPServer } from 'smtp-server'

/** A self-signed certificate for localhost and its key, valid for a hundred years; only these tests use it. */
const certificate = readFileSync(join(import.meta.dir, 'fixtures/localhost-certificate.pem'), 'utf8')
const key = readFileSync(join(import.meta.dir, 'fixtures/localhost-key.pem'), 'utf8')

export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  /** The mail with its body decoded. */
  readonly text: string
  /** The mail as it was received. */
  readonly raw: string
  readonly isEncrypted: boolean
  /** The login; empty = none. */
  readonly user: string
}

export interface FakeMailServer {
  readonly port: number
  readonly certificate: string
  readonly received: readonly ReceivedMail[]
  /** Refuses the next mail. */
  refuseNext(): void
  /** Resolves with the mail of this number, counted from 0, when it is received. */
  mail(number: number): Promise<ReceivedMail>
  close(): Promise<void>
}

export const mailLogin = { user: 'gateway', password: 'mail-password' } as const

interface MailServerOptions {
  /** TLS from the first byte. */
  readonly isSecure?: boolean
  /** Offers no STARTTLS. */
  readonly isPlain?: boolean
  /** Names of the logins that it offers. */
  readonly logins?: readonly string[]
}

/** A real SMTP server on loopback. */
export async function startMailServer({
  isSecure = false,
  isPlain = false,
  logins = ['PLAIN', 'LOGIN'],
}: MailServerOptions = {}): Promise<FakeMailServer> {
  const received: ReceivedMail[] = []
  const waiting: Array<() => void> = []
  let refuses = false
  const server = new SMTPServer({
    key,
    cert: certificate,
    secure: isSecure,
    disabledCommands: isPlain ? ['STARTTLS'] : [],
    allowInsecureAuth: true,
    authOptional: true,
    authMethods: [...logins],
    onAuth({ username, password }, _session, done) {
      if (username === mailLogin.user && password === mailLogin.password) done(null, { user: username })
      else done(new Error('authentication failed'))
    },
    onData(stream, session, done) {
      const take = (raw: string): void => {
        if (refuses) {
          refuses = false
          done(new Error('refused'))
          return
        }
        const { mailFrom, rcptTo } = session.envelope
        received.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          text: decode(raw),
          raw,
          isEncrypted: session.secure,
          user: typeof session.user === 'string' ? session.user : '',
        })
        done()
        for (const look of waiting.splice(0)) look()
      }
      // A client may leave in the middle of a mail.
      readAll(stream).then(take, () => undefined)
    },
  })
  // A broken connection of a client is not a failure of the test.
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: portOf(server.server.address()),
    certificate,
    received,
    refuseNext: () => {
      refuses = true
    },
    async mail(number) {
      for (;;) {
        const mail = received[number]
        if (mail !== undefined) return mail
        await new Promise<void>((resolve) => waiting.push(resolve))
      }
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

interface SocketServer {
  readonly port: number
  readonly connections: () => number
  close(): Promise<void>
}

/** A server that accepts connections and sends nothing. */
export const startSilentServer = (): Promise<SocketServer> => startSocketServer(() => undefined)

/** A server that greets and then sends one line after the other without an end. */
export const startEndlessServer = (): Promise<SocketServer> =>
  startSocketServer((socket) => {
    socket.write('220 ready\r\n')
    socket.once('data', () => {
      const timer = setInterval(() => socket.write('250-x\r\n'), 20)
      socket.on('close', () => clearInterval(timer))
    })
  })

async function startSocketServer(accept: (socket: Socket) => void): Promise<SocketServer> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    accept(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: portOf(server.address()),
    connections: () => sockets.size,
    close() {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

function portOf(address: unknown): number {
  return typeof address === 'object' && address !== null && 'port' in address ? Number(address.port) : 0
}

async function readAll(stream: Readable): Promise<string> {
  let text = ''
  for await (const chunk of stream) text += String(chunk)
  return text
}

/** Decodes quoted-printable and base64 in a mail's body, so that a test can find words and links in it. */
function decode(raw: string): string {
  const [head = '', ...parts] = raw.split('\r\n\r\n')
  const body = parts.join('\r\n\r\n')
  if (/^content-transfer-encoding: base64/im.test(head)) return Buffer.from(body, 'base64').toString('utf8')
  const bytes = body.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

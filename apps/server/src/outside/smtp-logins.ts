/** Logins with a password that the library knows (RFC 4954). */
const passwordMethods: ReadonlySet<string> = new Set(['PLAIN', 'LOGIN', 'CRAM-MD5'])
/** How the lines begin by which a server offers logins. */
const authResponses = ['250-AUTH ', '250 AUTH ', '250-AUTH=', '250 AUTH=']
/** Characters of a response that are read. */
const responsesMax = 8_192
/** Characters of the longest name of a login (RFC 4422). */
const nameMax = 20
const isMethod = (name: string): boolean => name !== '' && name.length <= nameMax
/** Names that are shown: a server could send any number. */
const methodsMax = 8

/** Reads which logins a mail server offers: the library keeps to itself those that it does not know. */
export function createLoginReader() {
  let methods: readonly string[] = []
  const read = (_entry: unknown, line: unknown): void => {
    for (const response of String(line).slice(0, responsesMax).split('\n')) {
      const text = response.trim().toUpperCase()
      if (authResponses.some((start) => text.startsWith(start))) methods = text.slice('250-AUTH '.length).split(' ').filter(isMethod)
    }
  }
  const ignore = (): void => {}
  return {
    /** For the library: it writes the lines of the conversation to its log. */
    options: {
      debug: true,
      logger: { level: ignore, trace: ignore, debug: read, info: ignore, warn: ignore, error: ignore, fatal: ignore },
    },
    /** The error itself; with the names of the logins in `authMethods` where its login was refused and the server offers none with a password. */
    explain(error: unknown): unknown {
      const isLogin = error instanceof Error && 'code' in error && error.code === 'EAUTH'
      const isUnsupported = isLogin && methods.length > 0 && !methods.some((method) => passwordMethods.has(method))
      if (!isUnsupported) return error
      const authMethods = methods.slice(0, methodsMax).join(', ')
      return Object.assign(new Error(`the mail server does not accept passwords, only ${authMethods}`, { cause: error }), { authMethods })
    },
  }
}

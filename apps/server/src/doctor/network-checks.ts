import { contract, parseJsonText } from '@sluice/contract'
import { createOpenChannelSecrets } from '../api/channel/channel-secrets.ts'
import { listEnabledTargets } from '../api/channel/queries.ts'
import { proxyOf } from '../api/channel/settings.ts'
import { addressOf } from '../api/channel/target-checks.ts'
import type { Env } from '../env.ts'
import { publicAddressOf } from '../lib/base-path.ts'
import { systemClock as clock } from '../lib/clock.ts'
import { createDeadlines } from '../lib/deadlines.ts'
import { dial } from '../lib/dial.ts'
import { ForbiddenAddress, PrivateAddress } from '../lib/forbidden-address.ts'
import { connectionProxyFor, requestProxyFor } from '../lib/outgoing-proxy.ts'
import { allowedPrivateHosts } from '../lib/private-hosts.ts'
import { openOperatorCalls } from '../outside/operator-calls.ts'
import { createMailer, mailNetwork } from '../outside/smtp.ts'
import { createUpstreamClient } from '../relay/upstream/http1/client.ts'
import { createPeersOf } from '../relay/upstream/http1/peers.ts'
import { createTargetGuard } from '../relay/upstream/resolve-guard.ts'
import { check, type Finding, type ReportFinding, reasonOf } from './finding.ts'
import type { Stored } from './store-checks.ts'

/** Checks what leaves this machine, and how the server is reached from outside. */
export async function checkNetwork(
  env: Env,
  { db, seal, settings }: Stored,
  { report, isRunning }: { report: ReportFinding; isRunning: boolean },
) {
  const { ServerAddress, ...options } = settings.current()
  report(await checkPublicAddress(env, publicAddressOf(ServerAddress, env.basePath), isRunning))
  report(await checkMail(env, { ...options, ServerAddress }))
  for await (const finding of checkChannels(env, { db, seal, settings })) report(finding)
}

/** Checks what the variables alone say of the ways out. */
export async function checkWaysOut(env: Env, report: ReportFinding): Promise<void> {
  for (const finding of await checkProxies(env)) report(finding)
  for (const finding of await checkCollectors(env)) report(finding)
}

const callMs = 10_000

/** An address for documentation (RFC 5737), from which no request comes. */
const foreignAddress = '192.0.2.1'

async function checkPublicAddress(env: Env, address: string, isRunning: boolean): Promise<Finding> {
  const subject = 'public address'
  if (address === '')
    return { is: 'warning', subject, text: 'ServerAddress is not set: links in emails and logins with other services need it' }
  if (!isRunning) return { is: 'skipped', subject, text: `${address} is checked only while the server runs` }
  const calls = openOperatorCalls(env, clock)
  try {
    return await check(subject, async () => {
      const ask = async (headers: Readonly<Record<string, string>>): Promise<Seen> => {
        const url = `${address}${contract.status.connection.path}`
        const response = await calls.send({ url, headers, timeoutMs: callMs }).catch((cause: unknown) => {
          throw new Error(`could not reach ${address} from this machine: ${reasonOf(cause)}`, { cause })
        })
        return seenIn(address, response)
      }
      assertSeenRight(address, await ask({}))
      const { address: client } = await ask({ 'x-forwarded-for': foreignAddress })
      if (client === foreignAddress)
        throw new Error(
          'clients can forge their IP address: the proxy must overwrite X-Forwarded-For, and TRUSTED_PROXIES must list proxies only',
        )
      return `${address} reaches this server; this machine appears as ${client}`
    })
  } finally {
    calls.close()
  }
}

type Seen = ReturnType<typeof contract.status.connection.data.parse>

interface ProbeResponse {
  readonly status: number
  readonly text: string
}

/** What the server has seen of a request. @throws Error if something else responded */
function seenIn(address: string, { status, text }: ProbeResponse): Seen {
  if (status === 421)
    throw new Error(
      `the server rejects the host name that it receives for ${address}: let the proxy forward the original Host header (nginx: proxy_set_header Host $http_host); if it already does, approve ServerAddress as root or add the host to ALLOWED_HOSTS`,
    )
  const seen = contract.status.connection.data.safeParse(dataOf(text))
  if (!seen.success) throw new Error(`${address} returned ${status} and is not Sluice: check where its proxy points to`)
  return seen.data
}

/** @throws Error that says what the proxy does wrong */
function assertSeenRight(address: string, { origin, proxy }: Seen): void {
  const expected = new URL(address)
  const present = URL.parse(origin)
  if (present?.host !== expected.host)
    throw new Error(
      `the proxy forwards the host ${present?.host ?? origin} instead of ${expected.host}: forward the original Host header, including the port`,
    )
  if (present.protocol !== expected.protocol)
    throw new Error(`the connection uses ${present.protocol}//, but ServerAddress starts with ${expected.protocol}//: change the wrong one`)
  if (proxy === 'untrusted')
    throw new Error('the proxy in front is missing from TRUSTED_PROXIES, so all clients appear with its address: add it')
}

function dataOf(text: string): unknown {
  try {
    const response: unknown = parseJsonText(text)
    return typeof response === 'object' && response !== null && 'data' in response ? response.data : null
  } catch {
    return null
  }
}

/** The proxies of the environment, each once. */
async function checkProxies({ outgoingProxies: { https, http, other } }: Env): Promise<readonly Finding[]> {
  const addresses = new Set([https, http, other].flatMap((proxy) => (proxy === null ? [] : [new URL(proxy).host])))
  return await Promise.all(
    [...addresses].map((host) =>
      check('outgoing proxy', async () => {
        const { hostname, port } = new URL(`http://${host}`)
        const problem = await dial({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80) }, callMs)
        if (problem !== null) throw new Error(`${host} does not accept connections (${problem})`)
        return `${host} accepts connections`
      }),
    ),
  )
}

/** What the variables let the server send elsewhere. Only the server can find out whether it is accepted there. */
async function checkCollectors({ clickHouseUrl, traces, resultsS3, releasesUrl, outgoingProxies }: Env): Promise<readonly Finding[]> {
  const addresses = {
    'log copy': clickHouseUrl,
    traces: traces.endpoint,
    'results store': resultsS3?.endpoint ?? '',
    releases: releasesUrl,
  }
  const calls = openOperatorCalls({ outgoingProxies }, clock)
  const used = Object.entries(addresses).filter(([, address]) => address !== '')
  const findings = used.map(([subject, address]) =>
    check(subject, async () => {
      // Without user, password and path, which may be secrets.
      const { origin } = new URL(address)
      const { status } = await calls.send({ url: `${origin}/`, isStatusEnough: true, timeoutMs: callMs }).catch((cause: unknown) => {
        throw new Error(`could not reach ${origin}: ${reasonOf(cause)}`, { cause })
      })
      return `${origin} responds (status ${status} without a key)`
    }),
  )
  return await Promise.all(findings).finally(() => calls.close())
}

async function checkMail(env: Env, settings: ReturnType<Stored['settings']['current']>): Promise<Finding> {
  const deadlines = createDeadlines(clock)
  const { addressesOf, outgoing } = createTargetGuard({ clock, ownPort: () => env.port, proxyFor: connectionProxyFor(env.outgoingProxies) })
  const peersOf = createPeersOf({ deadlines, addressesOf, mayBeNamed: () => true, outgoing })
  const mailer = createMailer({ settings: () => settings, clock, deadlines, peersOf, network: mailNetwork })
  if (!mailer.isSet()) return { is: 'skipped', subject: 'mail', text: 'no mail server is configured' }
  return await check('mail', async () => {
    await mailer.check().catch((cause: unknown) => {
      const hint = settings.SMTPSSLEnabled
        ? 'turn SMTPSSLEnabled off if the server starts without TLS'
        : 'turn SMTPSSLEnabled on if the server expects TLS from the first byte'
      throw new Error(`${settings.SMTPServer}:${settings.SMTPPort}: ${reasonOf(cause)}; ${hint}`, { cause })
    })
    return `${settings.SMTPServer}:${settings.SMTPPort} accepts the login`
  })
}

/** Addresses of vendors that are called, and how many at a time. */
const targetsMax = 50
const targetsAtOnce = 5

interface Way {
  readonly address: string
  readonly proxy: string
  readonly channels: number[]
}

/** Calls the vendor of each enabled channel, without its key: each address once. */
async function* checkChannels(env: Env, { db, seal, settings }: Stored): AsyncGenerator<Finding> {
  const secrets = createOpenChannelSecrets(seal)
  const ways = new Map<string, Way>()
  for (const row of await listEnabledTargets(db)) {
    const address = URL.parse(addressOf(row))
    if (address === null) {
      yield { is: 'problem', subject: `channels ${row.id}`, text: 'the address is not valid: enter another base URL' }
      continue
    }
    const way = { address: address.origin, proxy: proxyOf(secrets.settings(row.settings_sealed) ?? '') }
    const key = `${way.address} ${way.proxy}`
    const known = ways.get(key) ?? { ...way, channels: [] }
    ways.set(key, known)
    known.channels.push(row.id)
  }
  const guard = createTargetGuard({
    clock,
    ownPort: () => env.port,
    privateHosts: allowedPrivateHosts(settings.current),
    proxyFor: requestProxyFor(env.outgoingProxies),
  })
  const client = createUpstreamClient({ clock, deadlines: createDeadlines(clock), ...guard, ownHop: null })
  const all = [...ways.values()]
  for (let from = 0; from < Math.min(all.length, targetsMax); from += targetsAtOnce) {
    const step = all.slice(from, Math.min(from + targetsAtOnce, targetsMax))
    yield* await Promise.all(step.map((way) => check(`channels ${listed(way.channels)}`, () => callVendor(client, way))))
  }
  if (all.length > targetsMax)
    yield { is: 'skipped', subject: 'channels', text: `${all.length - targetsMax} more addresses were not checked` }
  if (all.length === 0) yield { is: 'skipped', subject: 'channels', text: 'no channel is enabled' }
  client.close()
}

/** Ids that a line shows. */
const listedMax = 3

function listed(ids: readonly number[]): string {
  const more = ids.length - listedMax
  return `${ids.slice(0, listedMax).join(', ')}${more > 0 ? ` +${more}` : ''}`
}

async function callVendor(client: ReturnType<typeof createUpstreamClient>, { address, proxy }: Way): Promise<string> {
  const through = proxy === '' ? null : proxy
  const call = client.send({
    method: 'GET',
    url: `${address}/`,
    headers: {},
    body: null,
    isRepeatable: true,
    proxy: through,
    isPublicOnly: false,
  })
  const timer = setTimeout(() => call.abort(`no response within ${callMs / 1000} s`), callMs)
  try {
    const { status } = await call.response
    return `${address} responds (status ${status} without a key)`
  } catch (cause) {
    throw new Error(`${address} ${whyNot(cause)}${through === null ? '' : ', through the proxy of the channel'}`, { cause })
  } finally {
    clearTimeout(timer)
    call.abort()
  }
}

function whyNot(cause: unknown): string {
  if (cause instanceof PrivateAddress) return 'is in a private network that root has not allowed (Settings > System > Private upstreams)'
  return cause instanceof ForbiddenAddress ? 'may not be called' : `cannot be reached: ${reasonOf(cause)}`
}

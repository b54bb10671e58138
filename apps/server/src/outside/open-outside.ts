import { neededFacts, type OptionKey, type Settings } from '@sluice/contract'
import type { Clock } from '../lib/clock.ts'
import type { Deadlines } from '../lib/deadlines.ts'
import type { ProxyFor } from '../lib/outgoing-proxy.ts'
import { createPeersOf, type Outgoing } from '../relay/upstream/http1/peers.ts'
import type { OutsideAddresses } from './addresses.ts'
import { type AddressesOf, createService, type SendCall, type Service } from './call.ts'
import { createCheckedCalls } from './checked-call.ts'
import { createGithub } from './github.ts'
import type { Identify } from './identity.ts'
import { createLark } from './lark.ts'
import { type Authorize, createOidc } from './oidc.ts'
import { createPusher, type Pusher } from './pusher.ts'
import { createReleases, type Releases } from './releases.ts'
import { createMailer, type Mailer, type MailNetwork } from './smtp.ts'
import { type CheckHuman, createCheckHuman } from './turnstile.ts'
import { createSendWebhook, type SendWebhook } from './webhook.ts'
import { createWechat } from './wechat.ts'

/** All external services for accounts and messages. */
export interface Outside {
  readonly mailer: Mailer
  readonly checkHuman: CheckHuman
  readonly identify: {
    readonly github: Identify
    readonly google: Identify
    readonly oidc: Identify
    readonly lark: Identify
    readonly wechat: Identify
  }
  /** The addresses of login pages that the server makes. */
  readonly authorize: { readonly google: Authorize; readonly oidc: Authorize }
  readonly pusher: Pusher
  readonly sendWebhook: SendWebhook
  readonly releases: Releases
  /** Closes idle connections. */
  close(): void
}

interface OutsideDeps {
  readonly settings: () => Settings
  readonly clock: Clock
  readonly addresses: OutsideAddresses
  /** For addresses that root has entered or confirmed: such servers are often in the local network. */
  readonly addressesOf: AddressesOf
  /** For addresses that other administrators have entered: in private networks only hosts that root allows. */
  readonly allowedAddressesOf: AddressesOf
  /** Whether a proxy of the environment may resolve an origin's name. */
  readonly mayBeNamed: (origin: string) => boolean
  /** The proxies of the environment, for requests and for mail. */
  readonly outgoing: Outgoing
  readonly mailProxyFor: ProxyFor
  /** Whether root has set or confirmed the option, or nobody has set it. */
  readonly isVouched: (key: OptionKey) => boolean
  readonly deadlines: Deadlines
  readonly mailNetwork: MailNetwork
  /** Where the latest release is described; empty = nowhere. */
  readonly releasesUrl: string
  /** The server's public URL. */
  readonly publicAddress: () => string
}

export function openOutside({
  settings,
  clock,
  deadlines,
  addresses,
  addressesOf,
  allowedAddressesOf,
  mayBeNamed,
  outgoing,
  mailProxyFor,
  isVouched,
  mailNetwork: network,
  releasesUrl: url,
  publicAddress,
}: OutsideDeps): Outside {
  const shared = { clock, deadlines, mayBeNamed, outgoing }
  const { send, close } = createCheckedCalls({ ...shared, addressesOf })
  const allowedCalls = createCheckedCalls({ ...shared, addressesOf: allowedAddressesOf })
  const publicCalls = createCheckedCalls({ ...shared, addressesOf, isPublicOnly: true })
  const known = (name: string): Service => createService({ clock, name, send })
  const sendTo =
    (key: OptionKey): SendCall =>
    (call) =>
      (isVouched(key) ? send : allowedCalls.send)(call)
  const typedIn = (name: string, key: OptionKey): Service => createService({ clock, name, send: sendTo(key) })
  const mailAddressesOf: AddressesOf = (origin) =>
    (isVouched('SMTPServer') && isVouched('SMTPPort') ? addressesOf : allowedAddressesOf)(origin)
  const mailPeersOf = createPeersOf({
    ...{ deadlines, addressesOf: mailAddressesOf, mayBeNamed },
    outgoing: { ...outgoing, proxyFor: mailProxyFor },
  })
  const { github, githubApi, google: googleIssuer, lark, larkPassport, turnstile } = addresses
  const google = createOidc({
    ...{ clock, send, publicAddress, name: 'Google', path: '/oauth/google' },
    ...{ needed: () => neededFacts('google', settings()), groupsClaim: () => settings().OidcGroupsClaim },
    client: () => ({ issuer: googleIssuer, id: settings().GoogleClientId, secret: settings().GoogleClientSecret }),
    idOf: ({ subject }) => subject,
  })
  const oidc = createOidc({
    ...{ clock, send: sendTo('OidcIssuer'), publicAddress, name: 'OpenID Connect', path: '/oauth/oidc' },
    ...{ needed: () => neededFacts('oidc', settings()), groupsClaim: () => settings().OidcGroupsClaim },
    client: () => ({ issuer: settings().OidcIssuer, id: settings().OidcClientId, secret: settings().OidcClientSecret }),
    // Never by address or name: another provider could give both to anybody.
    idOf: ({ issuer, subject }) => `${issuer} ${subject}`,
  })
  return {
    mailer: createMailer({ settings, clock, deadlines, peersOf: mailPeersOf, network }),
    checkHuman: createCheckHuman({ service: known('Turnstile'), base: turnstile, settings }),
    identify: {
      github: createGithub({ service: known('GitHub'), base: github, apiBase: githubApi, settings }),
      google: google.identify,
      oidc: oidc.identify,
      lark: createLark({ service: known('Lark'), base: lark, passportBase: larkPassport, settings, publicAddress }),
      wechat: createWechat({ service: typedIn('WeChat', 'WeChatServerAddress'), settings }),
    },
    authorize: { google: google.authorize, oidc: oidc.authorize },
    pusher: createPusher({ service: typedIn('the message pusher', 'MessagePusherAddress'), settings }),
    sendWebhook: createSendWebhook({ sends: { anywhere: send, allowed: allowedCalls.send, internet: publicCalls.send } }),
    releases: createReleases({ service: known('the list of releases'), url, clock }),
    close() {
      close()
      allowedCalls.close()
      publicCalls.close()
    },
  }
}

import { neededFacts, type Settings } from '@sluice/contract'
import type { Clock } from '../lib/clock.ts'
import type { Deadlines } from '../lib/deadlines.ts'
import { publicAddressesOf } from '../lib/public-address.ts'
import type { OutsideAddresses } from './addresses.ts'
import { type AddressesOf, createService, type Service } from './call.ts'
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
  /** For URLs from the options, with the address rules of channels, because such servers are often in the local network. */
  readonly addressesOf: AddressesOf
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
  mailNetwork: network,
  releasesUrl: url,
  publicAddress,
}: OutsideDeps): Outside {
  const { send, close } = createCheckedCalls({ clock, deadlines, addressesOf })
  const publicCalls = createCheckedCalls({ clock, deadlines, addressesOf: publicAddressesOf(addressesOf) })
  const known = (name: string): Service => createService({ clock, name })
  const typedIn = (name: string): Service => createService({ clock, name, send })
  const { github, githubApi, google: googleIssuer, lark, larkPassport, turnstile } = addresses
  const google = createOidc({
    ...{ clock, send, publicAddress, name: 'Google', path: '/oauth/google' },
    ...{ needed: () => neededFacts('google', settings()), groupsClaim: () => settings().OidcGroupsClaim },
    client: () => ({ issuer: googleIssuer, id: settings().GoogleClientId, secret: settings().GoogleClientSecret }),
    idOf: ({ subject }) => subject,
  })
  const oidc = createOidc({
    ...{ clock, send, publicAddress, name: 'OpenID Connect', path: '/oauth/oidc' },
    ...{ needed: () => neededFacts('oidc', settings()), groupsClaim: () => settings().OidcGroupsClaim },
    client: () => ({ issuer: settings().OidcIssuer, id: settings().OidcClientId, secret: settings().OidcClientSecret }),
    // Never by address or name: another provider could give both to anybody.
    idOf: ({ issuer, subject }) => `${issuer} ${subject}`,
  })
  return {
    mailer: createMailer({ settings, clock, deadlines, addressesOf, network }),
    checkHuman: createCheckHuman({ service: known('Turnstile'), base: turnstile, settings }),
    identify: {
      github: createGithub({ service: known('GitHub'), base: github, apiBase: githubApi, settings }),
      google: google.identify,
      oidc: oidc.identify,
      lark: createLark({ service: known('Lark'), base: lark, passportBase: larkPassport, settings, publicAddress }),
      wechat: createWechat({ service: typedIn('WeChat'), settings }),
    },
    authorize: { google: google.authorize, oidc: oidc.authorize },
    pusher: createPusher({ service: typedIn('the message pusher'), settings }),
    sendWebhook: createSendWebhook({ send, sendToPublic: publicCalls.send }),
    releases: createReleases({ service: typedIn('the list of releases'), url, clock }),
    close() {
      close()
      publicCalls.close()
    },
  }
}

import type { Logger } from 'pino'
import { setupAddresses } from './api/account/setup-link.ts'
import { createAudit } from './api/audit.ts'
import { createPrivateUpstreams } from './api/channel/private-upstreams.ts'
import type { SettingsStore } from './api/option/settings.ts'
import { createTextRenderer } from './api/status/render-text.ts'
import type { Codes } from './api/verification/codes.ts'
import { createCountMail } from './api/verification/mailbox-limit.ts'
import type { Store } from './db/connect.ts'
import { createScheduledBackups, noBackups, type ScheduledBackups } from './db/scheduled-backups.ts'
import { storePlace } from './db/store-place.ts'
import type { Env } from './env.ts'
import type { Ledger } from './ledger/ledger.ts'
import { publicAddressOf } from './lib/base-path.ts'
import type { Clock } from './lib/clock.ts'
import { createDeadlines } from './lib/deadlines.ts'
import type { Reached } from './lib/failpoints.ts'
import { connectionProxyFor, requestProxyFor } from './lib/outgoing-proxy.ts'
import { allowedPrivateHosts } from './lib/private-hosts.ts'
import type { Seal } from './lib/seal.ts'
import type { Configuration } from './nodes/configuration.ts'
import { createChannelNotifier } from './notify/channel-status-changes.ts'
import { createDeliveries, listWebhooks, secretPurpose, urlPurpose } from './notify/deliveries.ts'
import { createNotificationRules, type NotificationRules } from './notify/evaluate-rules.ts'
import { readNoticeText } from './notify/notices.ts'
import { createOutbox } from './notify/outbox.ts'
import { findAddress } from './notify/queries.ts'
import { createRemindOfQuota } from './notify/quota-reminder.ts'
import { type OutsideAddresses, outsideAddresses } from './outside/addresses.ts'
import { enteredAddresses } from './outside/entered-addresses.ts'
import { openOutside } from './outside/open-outside.ts'
import { type MailNetwork, mailNetwork } from './outside/smtp.ts'
import { createTargetGuard } from './relay/upstream/resolve-guard.ts'

interface AroundParts {
  readonly store: Store
  readonly seal: Seal
  readonly ledger: Ledger
  readonly clock: Clock
  readonly reached: Reached
  readonly settingsStore: SettingsStore
  readonly configuration: Configuration
  readonly codes: Codes
}

interface AroundOptions {
  readonly env: Env
  readonly log: Logger
  /** What a test has instead. */
  readonly outsideAddresses?: Partial<OutsideAddresses>
  readonly mailNetwork?: Partial<MailNetwork>
  readonly lookUp?: (host: string) => Promise<readonly string[]>
  readonly isLocal?: (address: string) => boolean
}

/** What speaks to services outside, and to people through them. */
export function openAround(
  { store, seal, ledger, clock, reached, settingsStore, configuration, codes }: AroundParts,
  options: AroundOptions,
  ownPort: () => number,
) {
  const { db } = store
  const settings = settingsStore.current
  // For browsers and readers of mail: what a request calls this server is no part of it.
  const configuredAddress = (): string => publicAddressOf(settings().ServerAddress, options.env.basePath)
  const publicAddress = (): string => configuredAddress() || `http://localhost:${ownPort()}${options.env.basePath}`
  const guard = createTargetGuard({
    ...{ clock, ownPort, privateHosts: allowedPrivateHosts(settings) },
    proxyFor: requestProxyFor(options.env.outgoingProxies),
    ...(options.lookUp === undefined ? {} : { lookUp: options.lookUp }),
    ...(options.isLocal === undefined ? {} : { isLocal: options.isLocal }),
  })
  const outside = openOutside({
    ...{ settings, clock },
    addresses: { ...outsideAddresses, ...options.outsideAddresses },
    addressesOf: guard.serviceAddressesOf,
    allowedAddressesOf: guard.addressesOf,
    mayBeNamed: guard.mayBeNamed,
    outgoing: guard.outgoing,
    mailProxyFor: connectionProxyFor(options.env.outgoingProxies),
    isVouched: settingsStore.isVouched,
    deadlines: createDeadlines(clock),
    mailNetwork: { ...mailNetwork, ...options.mailNetwork },
    releasesUrl: options.env.releasesUrl,
    publicAddress,
  })
  const outbox = createOutbox(options.log)
  const privateUpstreams = createPrivateUpstreams({
    ...{ db, seal, store: settingsStore, deadlines: createDeadlines(clock), addressesOf: guard.serviceAddressesOf },
    services: async (limit) => [...enteredAddresses(settingsStore), ...(await listWebhooks(db, seal, limit))],
    audit: createAudit({ ledger, clock }),
  })
  const { nowMs } = configuration.databaseClock
  const report = (err: unknown, what: string): void => options.log.warn({ err }, what)
  const deliveries = createDeliveries({ ...outside, db, seal, clock, nowMs, settings, reached, report })
  const notificationRules = createNotificationRules({ db, reads: store.reads, clock, nowMs, settings, report })
  /** Where the console can be opened, for the operator. An address that an administrator has entered counts when root has confirmed it. */
  const consoleAddresses = (): readonly string[] => {
    const address = settingsStore.isConfirmed('sessions') ? configuredAddress() : ''
    return setupAddresses({ ...options.env, address, port: ownPort() })
  }
  return {
    ownPort,
    guard,
    refusalOf: guard.refusalOf,
    privateUpstreams,
    publicAddress,
    configuredAddress,
    consoleAddresses,
    countMail: createCountMail(codes, options.env.rateLimits.mailbox),
    outside,
    texts: createTextRenderer(),
    outbox,
    notificationRules,
    backups: openBackups({ store, clock, notificationRules }, options),
    deliveries,
    /** What the calls about notifications need. */
    notices: {
      purposes: { url: urlPurpose, secret: secretPurpose },
      sendTest: deliveries.sendTest,
      textOf: readNoticeText,
      emailOf: findAddress,
    },
    remindOfQuota: createRemindOfQuota({ ...outside, db, settings, outbox, publicAddress }),
    notifyOfChannel: createChannelNotifier({ ...outside, db, settings, clock, outbox }),
  }
}

interface BackupParts {
  readonly store: Store
  readonly clock: Clock
  readonly notificationRules: NotificationRules
}

function openBackups({ store, clock, notificationRules }: BackupParts, { env, log }: AroundOptions): ScheduledBackups {
  if (env.backups === null) return noBackups
  if (store.engine === 'postgres') {
    log.warn('BACKUP_EVERY has no effect on PostgreSQL: use pg_dump or base backups')
    return noBackups
  }
  return createScheduledBackups({
    ...env.backups,
    path: storePlace(env),
    clock,
    report: (what, err) => (err === null ? log.info(what) : log.error({ err }, what)),
    succeeded: notificationRules.backupSucceeded,
    failed: notificationRules.backupFailed,
  })
}

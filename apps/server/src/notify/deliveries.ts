import { setTimeout } from 'node:timers/promises'
import { type CodedMessage, deliveryDaysMax, isMessageKey, type MessageKey, role, type Settings } from '@sluice/contract'
import type { Db } from '../db/connect.ts'
import { AppError } from '../lib/app-error.ts'
import { type Clock, nowSeconds } from '../lib/clock.ts'
import { daySeconds } from '../lib/day.ts'
import type { Reached } from '../lib/failpoints.ts'
import type { Seal } from '../lib/seal.ts'
import type { Pusher } from '../outside/pusher.ts'
import type { Mailer } from '../outside/smtp.ts'
import type { SendWebhook } from '../outside/webhook.ts'
import {
  claimDelivery,
  type DueDelivery,
  deleteDeliveriesBefore,
  findDelivery,
  findTarget,
  insertDelivery,
  listAdministratorWebhooks,
  listDue,
  saveAttempt,
} from './delivery-queries.ts'
import { newDelivery } from './evaluate-rules.ts'
import { noticeForPeople, noticeForPrograms, readNotice } from './notices.ts'
import type { WatchingRule } from './rule-queries.ts'

interface DeliveryDeps {
  readonly db: Db
  readonly seal: Seal
  readonly clock: Clock
  /** By the clock that all nodes share: when deliveries are due. */
  readonly nowMs: () => number
  readonly settings: () => Settings
  readonly mailer: Mailer
  readonly pusher: Pusher
  readonly sendWebhook: SendWebhook
  readonly reached: Reached
  readonly report: (err: unknown, what: string) => void
}

/** Sends what rules notify of. */
export interface Deliveries {
  /** Makes every attempt that is due, and those that become due meanwhile. Ends when none is being made. */
  send(): Promise<void>
  /** Makes one attempt of a test of a rule. @returns the id of the delivery */
  sendTest(rule: Pick<WatchingRule, 'id' | 'user_id' | 'name' | 'target'>): Promise<number>
  /** Deletes old deliveries. */
  clean(): Promise<void>
}

/** Pauses after failed attempts; there is one attempt more than pauses, over some nine hours. */
const pausesMs = [10_000, 60_000, 300_000, 1_800_000, 7_200_000, 21_600_000] as const

/** Whoever makes an attempt and has not stored its end after this time has died, so that another one is made. */
const attemptMs = 60_000

/** Attempts that are made beside each other, in all and for one account: targets that are slow to respond to hold up only their account. */
const atOnceMax = 20
const atOnceOfAccountMax = 3

/** Due deliveries among which those of all accounts are chosen. */
const dueMax = 2_000

/** How soon it is looked again what is due while attempts are being made. */
const lookMs = 1_000

/** Purposes of sealed columns. */
export const urlPurpose = 'webhook-url'
export const secretPurpose = 'webhook-secret'

/** The addresses of webhooks of administrators below root, as far as they can be read. */
export async function listWebhooks(db: Db, seal: Seal, limit: number): Promise<readonly string[]> {
  return (await listAdministratorWebhooks(db, limit)).flatMap((sealed) => openUrl(seal, sealed) ?? [])
}

type Target = NonNullable<Awaited<ReturnType<typeof findTarget>>>

export function createDeliveries({
  db,
  seal,
  clock,
  nowMs,
  settings,
  mailer,
  pusher,
  sendWebhook,
  reached,
  report,
}: DeliveryDeps): Deliveries {
  const seconds = (): number => nowSeconds(clock)

  /** @throws AppError notification_unreadable */
  function openWebhook({ url_sealed, secret_sealed }: Target): { readonly url: string; readonly secret: string } {
    const [url, secret] = [openUrl(seal, url_sealed), seal.tryOpen(secret_sealed, secretPurpose)]
    if (url === null || secret === null) throw new AppError('notification_unreadable')
    return { url, secret }
  }

  async function sendTo(target: Target, { delivery_id: deliveryId, rule_id, rule_name, notice, created_time: createdTime }: DueDelivery) {
    const parsedNotice = readNotice(notice)
    if (target.target === 'mail') {
      if (target.email === '') throw new AppError('mail_own_missing')
      const { title: subject, text } = noticeForPeople(parsedNotice)
      return await mailer.send({ to: target.email, subject, text })
    }
    if (target.target === 'pusher') {
      if (!pusher.isSet()) throw new AppError('pusher_not_set')
      return await pusher.send(noticeForPeople(parsedNotice))
    }
    await sendWebhook({
      ...openWebhook(target),
      deliveryId,
      body: noticeForPrograms(parsedNotice, { deliveryId, rule: { id: rule_id, name: rule_name }, createdTime }),
      now: seconds(),
      reach: target.role >= role.root ? 'anywhere' : target.role >= role.admin ? 'allowed' : 'internet',
    })
  }

  /** Where an attempt went; empty if that cannot be read, as of a URL that was sealed with another key. */
  function addressOf({ target, email, url_sealed }: Target): string {
    if (target === 'mail') return email
    const url = target === 'webhook' ? openUrl(seal, url_sealed) : null
    return url === null ? '' : new URL(url).origin
  }

  /** @returns why it failed; `null` = it was sent */
  async function attempt(target: Target, delivery: DueDelivery): Promise<CodedMessage | null> {
    try {
      await sendTo(target, delivery)
      return null
    } catch (err) {
      report(err, `notification not sent: ${delivery.delivery_id}`)
      return reasonOf(err)
    }
  }

  async function work(delivery: DueDelivery, isLast: boolean): Promise<void> {
    const target = await findTarget(db, delivery.rule_id)
    const ended = { nextMs: 0, endedTime: seconds(), address: '' }
    if (target === undefined)
      return await saveAttempt(db, delivery.id, { ...ended, state: 'failed', error: { code: 'no_such_notification_rule', params: {} } })
    const error = await attempt(target, delivery)
    const address = addressOf(target)
    if (error === null) return await saveAttempt(db, delivery.id, { ...ended, address, endedTime: seconds(), state: 'sent', error })
    const pauseMs = isLast ? undefined : pausesMs[delivery.attempts]
    await saveAttempt(
      db,
      delivery.id,
      pauseMs === undefined
        ? { ...ended, address, endedTime: seconds(), state: 'failed', error }
        : { state: 'waiting', address, error, nextMs: nowMs() + pauseMs, endedTime: 0 },
    )
  }

  /** The attempts that are being made. */
  const running = new Map<number, Attempt>()

  async function startDue(): Promise<void> {
    const due = await listDue(db, { nowMs: nowMs(), limit: dueMax })
    const waiting = due.filter(({ id }) => !running.has(id))
    for (const { id, user_id: userId } of chooseFairly(waiting, [...running.values()], atOnceMax)) {
      const ended = claimAndWork(id)
        .catch((err: unknown) => report(err, 'notification not readable or not stored'))
        .finally(() => running.delete(id))
      running.set(id, { userId, ended })
    }
  }

  async function claimAndWork(id: number): Promise<void> {
    const delivery = await findDelivery(db, id)
    if (!(await claimDelivery(db, delivery, nowMs() + attemptMs))) return
    reached('notice-claimed')
    await work(delivery, false)
  }

  return {
    async send() {
      do {
        await startDue()
        const ends = [...running.values()].map(({ ended }) => ended)
        if (ends.length > 0) await Promise.race([...ends, setTimeout(lookMs, undefined, { ref: false })])
      } while (running.size > 0)
    },
    async sendTest(rule) {
      const params = { system: settings().SystemName, rule: rule.name }
      const delivery = newDelivery(rule, { kind: 'test', params, data: {} })
      const times = { next_ms: nowMs() + attemptMs, created_time: seconds() }
      const id = await insertDelivery(db, { ...delivery, ...times, attempts: 1, is_test: 1 })
      await work(await findDelivery(db, id), true)
      return id
    },
    async clean() {
      await deleteDeliveriesBefore(db, seconds() - deliveryDaysMax * daySeconds)
    },
  }
}

/** `null` = it was sealed with another key. */
function openUrl(seal: Seal, sealed: string): string | null {
  try {
    return new URL(seal.open(sealed, urlPurpose)).href
  } catch {
    return null
  }
}

interface Attempt {
  readonly userId: number
  /** Never rejects. */
  readonly ended: Promise<unknown>
}

/** The deliveries to begin with: the first of each account, then the second, and so on, within the limits. */
function chooseFairly<Due extends { readonly user_id: number }>(
  due: readonly Due[],
  running: readonly Attempt[],
  max: number,
): readonly Due[] {
  const placeOf = new Map<number, number>()
  const next = (userId: number): number => {
    const place = placeOf.get(userId) ?? 0
    placeOf.set(userId, place + 1)
    return place
  }
  for (const { userId } of running) next(userId)
  return due
    .map((delivery) => ({ delivery, place: next(delivery.user_id) }))
    .filter(({ place }) => place < atOnceOfAccountMax)
    .sort((one, other) => one.place - other.place)
    .slice(0, Math.max(max - running.length, 0))
    .map(({ delivery }) => delivery)
}

/** Why an attempt failed, without anything that a service outside says. */
function reasonOf(err: unknown): CodedMessage {
  const code: MessageKey = err instanceof AppError && isMessageKey(err.code) ? err.code : 'notification_failure_unknown'
  const params = err instanceof AppError ? Object.entries(err.options.params ?? {}) : []
  return { code, params: Object.fromEntries(params.filter((entry): entry is [string, string | number] => typeof entry[1] !== 'object')) }
}

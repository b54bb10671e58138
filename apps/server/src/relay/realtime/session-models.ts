import type { Message } from '@sluice/http1/web-socket-frames'
import { isObject, parseJson } from '@sluice/vendors/core/is-object'
import type { SessionEvent } from '@sluice/vendors/core/session'
import type { BodyUse } from '@sluice/vendors/protocols/bodies/body-use'
import { withModels } from '@sluice/vendors/protocols/bodies/with-models'
import { type Channel, modelAt } from '../model/channel.ts'

/** The names of the models in a session: its client uses those of the gateway, and the vendor those of the channel. */
export interface SessionModels {
  /** A message of the client with the names of the channel; `null` = it is sent as it is. */
  renamed(message: Message, use: BodyUse): Message | null
  /** An event of the vendor with the client's name of the model that transcribes. */
  toClient(event: SessionEvent | null): SessionEvent | null
}

export function createSessionModels(channel: Channel | null): SessionModels {
  /** The client's names, by those of the channel; at most as many as the channel maps. */
  const named = new Map<string, string>()
  const nameOf = (model: string): string => modelAt(channel, model)
  return {
    renamed({ bytes }, { models }) {
      const others = models.filter(({ model }) => nameOf(model) !== model)
      for (const { model } of others) named.set(nameOf(model), model)
      const body = others.length === 0 ? null : parseJson(bytes.toString())
      if (!isObject(body)) return null
      return { isText: true, bytes: Buffer.from(JSON.stringify(withModels('realtime', body, nameOf))), isOwned: false }
    },
    toClient(event) {
      if (event?.kind !== 'settings' || event.transcriber === undefined) return event
      return { ...event, transcriber: named.get(event.transcriber) ?? event.transcriber }
    },
  }
}

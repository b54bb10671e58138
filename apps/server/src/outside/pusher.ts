import { isHttpAddress, type Settings } from '@sluice/contract'
import { AppError } from '../lib/app-error.ts'
import { type Service, textOf } from './call.ts'

export interface PushedMessage {
  readonly title: string
  readonly text: string
}

/** Sends messages to the administrator's devices through a message pusher. */
export interface Pusher {
  /** Whether a valid URL is configured. */
  isSet(): boolean
  /** @throws AppError service_unreachable, service_response_invalid, message_pusher_rejected */
  send(message: PushedMessage): Promise<void>
}

interface PusherDeps {
  readonly service: Service
  readonly settings: () => Settings
}

/** The protocol of the message pusher used with one-api consoles: the configured URL is called unchanged. */
export function createPusher({ service, settings }: PusherDeps): Pusher {
  return {
    isSet: () => isHttpAddress(settings().MessagePusherAddress),
    async send({ title, text }) {
      const { MessagePusherAddress, MessagePusherToken } = settings()
      const response = await service.json({
        url: MessagePusherAddress,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ title, description: text, content: text, url: '', channel: '', token: MessagePusherToken }),
      })
      if (response['success'] !== true) throw new AppError('message_pusher_rejected', { cause: new Error(textOf(response['message'])) })
    },
  }
}

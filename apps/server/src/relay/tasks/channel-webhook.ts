import type { Json } from '@sluice/vendors/core/json'
import { taskIdReaderOf } from '@sluice/vendors/registry/task-dialect-of'
import { AppError } from '../../lib/app-error.ts'
import { readJson } from '../../lib/read-json.ts'
import { queryOf } from '../../lib/request-url.ts'
import type { ChannelMap } from '../model/channel.ts'
import { relayHeaders } from '../wire/error-response.ts'
import type { TaskRouteDeps, TaskRouteHandler } from './task-routes.ts'

/** Longest message that is read. */
const messageBytesMax = 64 * 1024

export interface ChannelWebhookDeps extends TaskRouteDeps {
  readonly channels: { current(): ChannelMap | Promise<ChannelMap> }
}

/**
 * A message of a vendor to the address of a channel. Only the task's id is read from it: the vendor is polled. Vendors may repeat a message
 * that does not get `ok` as its response. @throws AppError task_not_found for a forged message, or of a vendor that sends none
 */
export const channelWebhook: TaskRouteHandler<ChannelWebhookDeps> = async (incoming, deps, { id = '' }) => {
  const { request, requestId } = incoming
  const channelId = /^[1-9]\d{0,14}$/.test(id) ? Number(id) : 0
  if (!deps.tasks.links.isChannelWebhook(channelId, queryOf(request.url))) throw new AppError('task_not_found')
  const channel = (await deps.channels.current()).all.get(channelId)
  const parseMessage = channel === undefined ? null : taskIdReaderOf(channel.vendor)
  if (parseMessage === null) throw new AppError('task_not_found')
  const { value, close } = await readJson(request, { ...deps.limits, bodyBytesMax: messageBytesMax }, deps)
  // Holds: what was parsed from JSON is JSON.
  await deps.tasks.acceptChannelWebhook(channelId, parseMessage(value as Json))
  close()
  return { status: 200, headers: { ...relayHeaders(requestId, 0), 'content-type': 'text/plain; charset=utf-8' }, body: 'ok' }
}

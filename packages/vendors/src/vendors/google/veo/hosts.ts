import type { ChannelConfig, ChannelFacts } from '../../../core/channel-config.ts'
import { joinUrl } from '../../../core/join-url.ts'
import { splitKey } from '../../../core/split-key.ts'
import type { RunningTask, TaskContext, TaskRequest } from '../../../core/task.ts'
import { developerApi, versionPath } from '../../../protocols/gemini/host.ts'
import { get, post } from '../../../protocols/tasks/step-parts.ts'
import { isAccount } from '../key.ts'
import { vertexAi } from '../vertexai/host.ts'

/** Where the models are served: the two services differ in paths, in how a video is polled, and in few parameters. */
export interface VeoHost {
  readonly addressOf: (context: TaskContext, model: string) => string
  readonly ask: (context: TaskContext, task: RunningTask) => { readonly request: TaskRequest }
  /** Audio can be left out, and images may be in Cloud Storage. */
  readonly isCloud: boolean
  /** How long its results are kept; `null`: they are in the response. */
  readonly keptSeconds: number | null
}

const twoDays = 2 * 24 * 60 * 60

/** Gemini API, "Generate videos with Veo", a stored copy read 2026-11-23. */
export const geminiApi: VeoHost = {
  addressOf: (channel, model) => joinUrl(channel.baseUrl, developerApi.pathOf({ model, channel }, 'predictLongRunning')),
  ask: (channel, { vendorId }) => get(joinUrl(channel.baseUrl, `${versionPath(channel)}/${vendorId}`)),
  isCloud: false,
  keptSeconds: twoDays,
}

/** Google Cloud, "Veo on Vertex AI API", a stored copy read 2026-11-23. */
export const googleCloud: VeoHost = {
  addressOf: (context, model) => callAt(context, model, 'predictLongRunning'),
  ask: (context, { model, vendorId }) => post(callAt(context, model, 'fetchPredictOperation'), { operationName: vendorId }),
  isCloud: true,
  keptSeconds: null,
}

function callAt(context: TaskContext, model: string, action: string): string {
  const channel = { ...context, ...withPlace(context) }
  return joinUrl(channel.baseUrl, vertexAi.pathOf({ model, channel }, action))
}

/** A channel whose key may be `region|project|secret`, with these two in its configuration. */
export function withPlace<Channel extends Pick<ChannelFacts, 'config' | 'key'>>(channel: Channel): Channel {
  const [region = '', project = '', secret] = isAccount(channel.key.trim()) ? [] : splitKey(channel.key, 3)
  if (secret === undefined) return channel
  const keyConfig: ChannelConfig = { ...(region !== '' && { region }), ...(project !== '' && { vertex_ai_project_id: project }) }
  return { ...channel, config: { ...keyConfig, ...channel.config } }
}

import * as z from 'zod/mini'
import { exportParams, fileStream } from './csv.ts'
import { endpoint } from './endpoint.ts'
import { byId, idList, nothing, page, queryNumber, queryTime, searchText, unreadableOf } from './parts.ts'

/** What a task makes: work that takes seconds to minutes. */
export const taskKinds = ['videos', 'songs', 'pictures', 'batches'] as const
export type TaskKind = (typeof taskKinds)[number]

/** The kinds that one model makes of a prompt. */
export const creatableTaskKinds = ['videos', 'songs', 'pictures'] as const satisfies readonly TaskKind[]
export type CreatableTaskKind = (typeof creatableTaskKinds)[number]

/** What is made of a video that exists. */
export const videoChanges = ['remix', 'edit', 'extend'] as const
export type VideoChange = (typeof videoChanges)[number]

/** What a task does: it makes something new, the lyrics of a song, or something from a video. */
const createActions = ['create', 'lyrics', ...videoChanges] as const
const createAction = z._default(z.enum(createActions), 'create')
/** `public_id` of the video that is changed; empty = there is none, or a video goes along. */
const createSource = z._default(z.string().check(z.maxLength(64)), '')
export type CreateAction = (typeof createActions)[number]

/** The last four are ends. */
export const taskStates = ['queued', 'in_progress', 'completed', 'failed', 'cancelled', 'expired'] as const
export type TaskState = (typeof taskStates)[number]

/** Whether a task in this state will not change any more. */
export function isTaskEnd(state: TaskState): boolean {
  return state !== 'queued' && state !== 'in_progress'
}

/** Characters of a prompt in lists; one task alone has the whole prompt. */
export const listedPromptMax = 500

/** Maximum number of tasks that one call can query by their ids. */
export const taskIdsMax = 100

const taskResult = z.object({
  /** `video`, `image`, `audio`, `text`, or what its vendor has besides: `thumbnail`, `spritesheet`. */
  variant: z.string(),
  /** Address on this server, which needs no token for about an hour; `null` for texts. */
  url: z.nullable(z.string()),
  text: z.nullable(z.string()),
  /** Empty = the vendor does not report it. */
  content_type: z.string(),
})
export type TaskResultRow = z.output<typeof taskResult>

/** The parts of a task that are stored encrypted: its parameters, how it is reached at its vendor, and its results. */
export const taskParts = ['order', 'upstream', 'result'] as const
export type TaskPart = (typeof taskParts)[number]

export const taskRow = z.object({
  id: z.int(),
  /** Its id for clients of the relay. */
  public_id: z.string(),
  /** The request that created it, which its log row has too. */
  request_id: z.string(),
  kind: z.enum(taskKinds),
  action: z.string(),
  model: z.string(),
  state: z.enum(taskStates),
  /** Percent. */
  progress: z.int(),
  prompt: z.string(),
  /** Length of a video; `null` = it has none. */
  seconds: z.nullable(z.number()),
  /** Such as `1280x720`; empty = not known. */
  size: z.string(),
  created_at: z.int(),
  /** 0 = not yet. */
  ended_at: z.int(),
  /** When the vendor deletes the results; 0 = not known. */
  expires_at: z.int(),
  /** Quota that was reserved. */
  estimated: z.int(),
  /** Quota that was charged at the end. */
  charged: z.int(),
  error: z.nullable(z.object({ code: z.string(), message: z.string() })),
  results: z.array(taskResult),
  /** It runs, and its vendor can stop it. */
  cancellable: z.boolean(),
  /** What its account can have made of its video by the channel that has it. */
  film_changes: z.array(z.enum(videoChanges)),
  /** Addresses of the images that were sent along; empty in lists. */
  pictures: z.array(z.string()),
  /** The further parameters of the task; empty in lists. */
  parameters: z.record(z.string(), z.json()),
  /** `order`: prompt, images and parameters are empty. `upstream`: it cannot be followed, stopped or changed. `result`: results are empty. */
  unreadable: unreadableOf(taskParts),
  /** Who created it and what serves it: missing for ordinary users. */
  user_id: z.optional(z.int()),
  username: z.optional(z.string()),
  /** Channel id; 0 = none was reached. */
  channel: z.optional(z.int()),
  /** Empty if the channel was deleted. */
  channel_name: z.optional(z.string()),
  upstream_model: z.optional(z.string()),
})
export type TaskRow = z.output<typeof taskRow>

/** The name of the channel, or its id if it was deleted. */
export function taskChannelName({ channel = 0, channel_name: name = '' }: TaskRow): string {
  if (channel === 0) return ''
  return name === '' ? `#${channel}` : name
}

/** A row in an exported file. It has no addresses of results, because these need no token. */
export const exportedTask = z.omit(taskRow, { results: true, pictures: true, parameters: true, film_changes: true })

/** What a parameter may be, by which a form shows it. */
export const parameterTypes = [
  'text',
  'flag',
  'number',
  'choice',
  'picture',
  'film',
  'pictures',
  'characters',
  'named_pictures',
  'json',
] as const
export type ParameterType = (typeof parameterTypes)[number]

const taskParameter = z.object({
  name: z.string(),
  type: z.enum(parameterTypes),
  /** Of a choice. */
  values: z.array(z.union([z.string(), z.number(), z.boolean()])),
  /** Of a number, or the most entries of a list; `null` = any. */
  least: z.nullable(z.number()),
  most: z.nullable(z.number()),
  /** The default if a request does not name it; `null` = not known. */
  usual: z.nullable(z.union([z.string(), z.number(), z.boolean()])),
})
export type TaskParameter = z.output<typeof taskParameter>

/** What an order of a model may have. */
export const taskFields = z.object({
  /** Lengths in seconds; if there are none, every whole one of `seconds_range`. */
  seconds: z.array(z.number()),
  /** `null` with no lengths: the length cannot be chosen. */
  seconds_range: z.nullable(z.object({ least: z.number(), most: z.number() })),
  /** Such as `1280x720`; empty: there is no choice, or it is a parameter. */
  sizes: z.array(z.string()),
  /** The length and the size if a request names none; `null` and empty = the vendor chooses. */
  usual_seconds: z.nullable(z.number()),
  usual_size: z.string(),
  /** First frames of a video, or what an image is made from. */
  pictures: z.object({ least: z.int(), most: z.int() }),
  /** What can be done to a video that is sent along. */
  film_actions: z.array(z.enum(['edit', 'extend'])),
  /** It makes nothing without such a video. */
  needs_film: z.boolean(),
  /** It writes the words of songs, which have a call of their own. */
  makes_words: z.boolean(),
  parameters: z.array(taskParameter),
})
export type TaskFields = z.output<typeof taskFields>

/** What a task would cost, and what is made. */
const taskEstimate = z.object({
  /** Quota that is reserved for it, which is the most that it is expected to cost. */
  quota: z.int(),
  /** Length of a video; `null` = it has none, or its vendor chooses. */
  seconds: z.nullable(z.number()),
  /** Such as `1280x720`; empty = the vendor chooses. */
  size: z.string(),
})
export type TaskEstimate = z.output<typeof taskEstimate>

/** Maximum members of a task request: no vendor has as many parameters. */
const taskParamsMax = 256

const above0 = z.number().check(z.gt(0))

/** Empty and 0 mean all. */
const ownFilters = {
  state: z._default(z.catch(z.enum(['', ...taskStates]), ''), ''),
  kind: z._default(z.catch(z.enum(['', ...taskKinds]), ''), ''),
  model: searchText,
  /** The one task with this id for clients. */
  public_id: searchText,
  start_timestamp: queryTime,
  end_timestamp: queryTime,
  /** Only these, for a page that follows the running ones. */
  ids: idList(taskIdsMax),
}

const allFilters = { ...ownFilters, username: searchText, channel: queryNumber }

export const task = {
  list: endpoint({
    method: 'GET',
    path: '/api/task/',
    access: 'admin',
    input: z.extend(page, allFilters),
    data: z.array(taskRow),
  }),
  self: endpoint({ method: 'GET', path: '/api/task/self', access: 'user', input: z.extend(page, ownFilters), data: z.array(taskRow) }),
  /** All matching tasks as a file, newest first. */
  export: endpoint({
    method: 'GET',
    path: '/api/task/export',
    access: 'admin',
    input: z.object({ ...allFilters, ...exportParams }),
    data: fileStream,
    fileRow: exportedTask,
  }),
  exportSelf: endpoint({
    method: 'GET',
    path: '/api/task/self/export',
    access: 'user',
    input: z.object({ ...ownFilters, ...exportParams }),
    data: fileStream,
    fileRow: exportedTask,
  }),
  /** The task parameters at the channel that would get the request, or that has the video to be changed; `null`: no such channel, or none published. */
  fields: endpoint({
    method: 'GET',
    path: '/api/task/fields',
    access: 'user',
    input: z.object({
      kind: z.enum(creatableTaskKinds),
      model: z.string().check(z.maxLength(200)),
      action: createAction,
      source: createSource,
    }),
    data: z.nullable(taskFields),
  }),
  /** The price of an order of the caller, by the same rules as its reservation. Nothing is reserved, and nothing is sent. */
  estimate: endpoint({
    method: 'POST',
    path: '/api/task/estimate',
    access: 'user',
    input: z.object({
      kind: z.enum(creatableTaskKinds),
      /** The body of the call that would create it. */
      order: z.record(z.string().check(z.maxLength(128)), z.json()).check(z.refine((order) => Object.keys(order).length <= taskParamsMax)),
      action: createAction,
      source: createSource,
      /** Images that would go along as files. */
      files: z._default(z.int().check(z.gte(0), z.lte(8)), 0),
      /** What the header of the video says that would go along. */
      film: z._default(z.nullable(z.object({ seconds: above0, width: above0, height: above0 })), null),
    }),
    data: taskEstimate,
  }),
  /** A task of the caller; for administrators of anybody. After the call whose path has a word in the place of the id. */
  get: endpoint({ method: 'GET', path: '/api/task/:id', access: 'user', input: byId, data: taskRow }),
  /** Asks the vendor to stop it, where the vendor can. */
  cancel: endpoint({ method: 'POST', path: '/api/task/:id/cancel', access: 'user', input: byId, data: taskRow }),
  /** Deletes an ended task, here and at its vendor. Its log row and its charge stay. */
  remove: endpoint({ method: 'DELETE', path: '/api/task/:id', access: 'user', input: byId, data: nothing }),
}

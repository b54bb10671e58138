import { type TaskFields, type TaskParameter, videoChanges } from '@sluice/contract'
import type { TaskDialect, TaskFields as VendorFields } from '@sluice/vendors/core/task'
import type { Parameter, Parameters } from '@sluice/vendors/core/task-parameter'
import { taskDialectOf } from '@sluice/vendors/registry/task-dialect-of'
import { type ChannelMap, modelAt } from '../model/channel.ts'
import { ownerOf } from '../storage/viewer-queries.ts'
import type { Tasks } from './create-tasks.ts'
import type { EstimateRequest } from './estimate-task.ts'
import { changeFieldsOf } from './video-changes.ts'

/** An order whose form is shown. */
export interface TaskFormRequest extends Pick<EstimateRequest, 'userId' | 'groups' | 'kind' | 'action' | 'source'> {
  readonly model: string
}

/** The parameters that a task may have at its channel; `null`: no channel makes it, or its vendor does not specify them. @throws AppError */
export async function taskForm(map: ChannelMap, request: TaskFormRequest, tasks: Tasks): Promise<TaskFields | null> {
  const { userId, action, source } = request
  if (source === '') return formOfNew(map, request)
  const { row } = await tasks.sourceOf(ownerOf(userId), source)
  const change = videoChanges.find((name) => name === action)
  const fields = change === undefined ? null : changeFieldsOf(row, tasks.texts.resultOf(row)?.results ?? [], change)
  // Its video need not be sent.
  return fields === null ? null : { ...formOf({}, fields), needs_film: false }
}

/** The form of a new task at the first channel that would be tried. */
function formOfNew(map: ChannelMap, { groups, kind, model }: TaskFormRequest): TaskFields | null {
  for (const { channels } of map.route(groups, model)?.tiers ?? []) {
    for (const channel of channels) {
      const upstream = modelAt(channel, model)
      const dialect = taskDialectOf(channel.vendor, kind, upstream)
      const fields = dialect?.fields(upstream)
      if (dialect !== null && fields) return formOf(dialect, fields)
    }
  }
  return null
}

function formOf({ videoActions = [] }: Pick<TaskDialect, 'videoActions'>, fields: VendorFields): TaskFields {
  const { seconds, sizes, images, parameters, needsVideo, makesWords, usualSeconds = null, usualSize = '' } = fields
  const isRange = seconds !== null && 'least' in seconds
  return {
    seconds: seconds === null || isRange ? [] : [...seconds],
    seconds_range: isRange ? { ...seconds } : null,
    sizes: [...sizes],
    usual_seconds: usualSeconds,
    usual_size: usualSize,
    pictures: { ...images },
    film_actions: videoActions.filter((action) => action === 'edit' || action === 'extend'),
    needs_film: needsVideo === true,
    makes_words: makesWords === true,
    parameters: listOf(parameters),
  }
}

function listOf(parameters: Parameters): TaskParameter[] {
  return Object.entries(parameters).map(([name, parameter]) => ({
    ...{ name, type: parameter.type, values: [] },
    usual: 'usual' in parameter ? (parameter.usual ?? null) : null,
    ...boundsOf(parameter),
  }))
}

const boundless = { least: null, most: null }

function boundsOf(parameter: Parameter): Pick<TaskParameter, 'least' | 'most'> & Partial<Pick<TaskParameter, 'values'>> {
  switch (parameter.type) {
    case 'choice':
      return { ...boundless, values: [...parameter.values] }
    case 'number':
      return { least: bound(parameter.least), most: bound(parameter.most) }
    case 'pictures':
    case 'named_pictures':
      return { least: 1, most: parameter.most }
    default:
      return boundless
  }
}

/** The ends of the numbers are no bounds. */
function bound(value: number): number | null {
  return Math.abs(value) === Number.MAX_SAFE_INTEGER ? null : value
}

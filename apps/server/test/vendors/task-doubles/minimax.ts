import { json } from '../../fake-upstream.ts'
import { addWork, begun, type DoubleWork, resultOf, type TaskDouble, wordsAbout } from './task-double.ts'

const key = 'sk-api-minimax-0001'
const frame = 'data:image/png;base64,aGk='
const isFine = { base_resp: { status_code: 0, status_msg: 'success' } }

function base(): Omit<TaskDouble, 'models' | 'params' | 'upstreamRequest' | 'price' | 'refused' | 'response'> {
  return {
    ...begun(),
    type: 27,
    key,
    path: '/v1/videos',
    counted: null,
    failure: 'task_failed',
    contentType: 'video/mp4',
    hasAddresses: true,
    canStop: false,
    namesPlaces: false,
    secrets: ['minimax-0001'],
    wrongKey: json({ base_resp: { status_code: 1004, status_msg: `login fail: the key ${key} is not valid` } }),
    wrongContent: json({ base_resp: { status_code: 1026, status_msg: 'input new_sensitive' } }),
    isAuthorized: ({ headers }) => headers['authorization'] === `Bearer ${key}`,
  }
}

/** Videos of Hailuo 2.3 and earlier: the status names a file, whose address another call returns. */
export function hailuoDouble(): TaskDouble {
  const model = 'MiniMax-Hailuo-2.3'
  const double: TaskDouble = {
    ...base(),
    models: model,
    params: { model, prompt: 'A cat', seconds: '10', input_reference: frame, prompt_optimizer: false },
    upstreamRequest: {
      path: '/v1/video_generation',
      body: { model, prompt: 'A cat', duration: 10, resolution: '768P', first_frame_image: frame, prompt_optimizer: false },
    },
    // Ten seconds in 768P cost $0.56.
    price: 280_000,
    refused: {
      seconds: { seconds: 10, resolution: '1080P' },
      size: { size: '640x480' },
      ratio: { ratio: '16:9' },
      last_frame: { last_frame: frame },
    },
    response: (request, origin) => {
      const { method, path } = request
      const { pathname, searchParams } = new URL(path, origin)
      if (method === 'POST') return json({ task_id: addWork(double, `10000${double.works.length + 1}`).id, ...isFine })
      const id = searchParams.get('task_id') ?? searchParams.get('file_id')?.replace('file-', '')
      const work = double.works.find((one) => one.id === id)
      if (work === undefined) return json({ base_resp: { status_code: 2013, status_msg: 'invalid task_id' } })
      if (pathname === '/v1/files/retrieve')
        return json({ file: { file_id: `file-${work.id}`, download_url: resultOf(work, double, origin) }, ...isFine })
      return json({ task_id: work.id, ...firstStatusOf(work) })
    },
  }
  return double
}

function firstStatusOf(work: DoubleWork): object {
  switch (work.stage) {
    case 'queued':
      return { status: 'Queueing', ...isFine }
    case 'running':
      return { status: 'Processing', ...isFine }
    case 'done':
      return { status: 'Success', file_id: `file-${work.id}`, video_width: 1366, video_height: 768, ...isFine }
    case 'moderated':
      return { status: 'Fail', base_resp: { status_code: 1027, status_msg: 'output new_sensitive' } }
    default:
      return { status: 'Fail', error_message: wordsAbout(work, key), base_resp: { status_code: 0, status_msg: '' } }
  }
}

/** Videos of H3, which has an interface of its own. */
export function hailuo3Double(): TaskDouble {
  const model = 'MiniMax-H3'
  const double: TaskDouble = {
    ...base(),
    models: model,
    params: { model, prompt: 'A cat', seconds: '6', size: '2560x1440', input_reference: frame, last_frame: frame },
    upstreamRequest: {
      path: '/v2/video_generation',
      body: {
        model,
        content: [
          { type: 'text', text: 'A cat' },
          { type: 'image_url', image_url: { url: frame }, role: 'first_frame' },
          { type: 'image_url', image_url: { url: frame }, role: 'last_frame' },
        ],
        ...{ resolution: '2K', ratio: '16:9', duration: 6 },
      },
    },
    // Six seconds in 2K at $0.13.
    price: 390_000,
    refused: { seconds: { seconds: 20 }, size: { size: '640x480' }, resolution: { resolution: '768P' }, prompt: { prompt: '' } },
    response: (request, origin) => {
      const { method, path } = request
      if (method === 'POST') return json({ task_id: addWork(double, `20000${double.works.length + 1}`).id, ...isFine })
      const work = double.works.find((one) => path === `/v2/query/video_generation/${one.id}`)
      if (work === undefined) return json({ base_resp: { status_code: 2013, status_msg: 'invalid task_id' } })
      return json({ task: { id: work.id, ...secondStatusOf(work, double, origin) }, ...isFine })
    },
  }
  return double
}

function secondStatusOf(work: DoubleWork, double: TaskDouble, origin: string): object {
  switch (work.stage) {
    case 'queued':
      return { status: 'queued' }
    case 'running':
      return { status: 'running' }
    case 'done':
      return { status: 'succeeded', content: { url: resultOf(work, double, origin) } }
    case 'moderated':
      return { status: 'failed', error: { code: 1027, message: 'output new_sensitive' } }
    default:
      return { status: 'failed', error: { message: wordsAbout(work, key) } }
  }
}

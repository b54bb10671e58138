import { alibabaLaterPictures } from '../alibaba/later-pictures.ts'
import { alibabaVideos } from '../alibaba/videos.ts'
import { doubaoVideos } from '../bytedance/videos.ts'
import { fluxFilmEdits } from '../flux/film-edits.ts'
import { fluxPictures } from '../flux/pictures.ts'
import { fluxVideos } from '../flux/videos.ts'
import { lyriaSongs } from '../lyria/songs.ts'
import { minimaxVideos } from '../minimax/videos.ts'
import { novitaPictures } from '../novita/pictures.ts'
import { omniVideos } from '../omni/videos.ts'
import { openaiVideos } from '../openai/videos.ts'
import { azureVideos } from '../openai-compatible/azure-videos.ts'
import { openrouterVideos } from '../openrouter/videos.ts'
import { falVideos } from '../pika/fal.ts'
import { pixverseVideos } from '../pixverse/videos.ts'
import { sunoApiSongs } from '../suno/suno-api.ts'
import { sunoapiSongs } from '../suno/sunoapi.ts'
import { geminiApi, googleCloud } from '../veo/hosts.ts'
import { veoAt } from '../veo/videos.ts'
import { zhipuVideos } from '../zhipu/videos.ts'
import type { TaskDialect, TaskKind } from './task.ts'

/** The dialects of every kind of task. A vendor record can only name one of these. */
export const taskTable = {
  videos: {
    alibaba: alibabaVideos,
    azure: azureVideos,
    bytedance: doubaoVideos,
    fal: falVideos,
    flux: fluxVideos,
    'flux-film-edits': fluxFilmEdits,
    gemini: veoAt(geminiApi),
    'gemini-omni': omniVideos,
    minimax: minimaxVideos,
    openai: openaiVideos,
    openrouter: openrouterVideos,
    pixverse: pixverseVideos,
    vertexai: veoAt(googleCloud),
    zhipu: zhipuVideos,
  },
  songs: { lyria: lyriaSongs, 'suno-api': sunoApiSongs, sunoapi: sunoapiSongs },
  pictures: { alibaba: alibabaLaterPictures, flux: fluxPictures, novita: novitaPictures },
} as const satisfies Record<TaskKind, Record<string, TaskDialect>>

/** kind -> dialect, or which one a model has (`null`: none). */
export type TaskNames = {
  readonly [K in TaskKind]?: keyof (typeof taskTable)[K] | ((model: string) => keyof (typeof taskTable)[K] | null)
}

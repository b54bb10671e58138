import type { TaskDialect, TaskKind } from '../core/task.ts'
import { openaiVideos } from '../protocols/openai/videos.ts'
import { alibabaLaterPictures } from '../vendors/alibaba/image-tasks.ts'
import { alibabaVideos } from '../vendors/alibaba/videos.ts'
import { azureVideos } from '../vendors/azure/videos.ts'
import { doubaoVideos } from '../vendors/bytedance/videos.ts'
import { fluxPictures } from '../vendors/flux/image-tasks.ts'
import { fluxFilmEdits } from '../vendors/flux/video-edits.ts'
import { fluxVideos } from '../vendors/flux/videos.ts'
import { lyriaSongs } from '../vendors/google/lyria/songs.ts'
import { omniVideos } from '../vendors/google/omni/videos.ts'
import { geminiApi, googleCloud } from '../vendors/google/veo/hosts.ts'
import { veoAt } from '../vendors/google/veo/videos.ts'
import { minimaxVideos } from '../vendors/minimax/videos.ts'
import { novitaPictures } from '../vendors/novita/image-tasks.ts'
import { openrouterVideos } from '../vendors/openrouter/videos.ts'
import { falVideos } from '../vendors/pika/fal.ts'
import { pixverseVideos } from '../vendors/pixverse/videos.ts'
import { sunoApiSongs } from '../vendors/suno/suno-api.ts'
import { sunoapiSongs } from '../vendors/suno/sunoapi.ts'
import { zhipuVideos } from '../vendors/zhipu/videos.ts'

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

import type { TaskParams } from '../../core/task.ts'

// Sizes of videos for vendors that take a ratio and a resolution in place of pixels.

type Size = NonNullable<TaskParams['size']>

/** Part by which a size may differ from a ratio: vendors round the sides to multiples of 16 and the like. */
const tolerance = 0.03

/** The ratio of a list such as `16:9` that a size has; `null`: none. */
export function ratioOf(size: Size, ratios: readonly string[]): string | null {
  return ratios.find((ratio) => Math.abs(size.width / size.height / shareOf(ratio) - 1) <= tolerance) ?? null
}

/** `1280x720` for `16:9` and `720p`, which is the shorter side. */
export function pixelsOf(ratio: string, resolution: string): string {
  const short = Number.parseInt(resolution, 10)
  const share = shareOf(ratio)
  return share >= 1 ? `${Math.round(short * share)}x${short}` : `${short}x${Math.round(short / share)}`
}

/** The shorter side of a resolution, which is what a size in pixels has: `2160p` for `4k`. */
export function linesOf(resolution: string): string {
  return resolution === '4k' ? '2160p' : resolution
}

/** The sizes of every ratio in every resolution. */
export function sizesOf(ratios: readonly string[], resolutions: readonly string[]): readonly string[] {
  return resolutions.flatMap((resolution) => ratios.map((ratio) => pixelsOf(ratio, resolution)))
}

export function textOf({ width, height }: Size): string {
  return `${width}x${height}`
}

function shareOf(ratio: string): number {
  const [width = 1, height = 1] = ratio.split(':').map(Number)
  return width / height
}

import {
  flag,
  imageAddress,
  jsonThat,
  numberBetween,
  oneOf,
  type Parameter,
  type Parameters,
  usually,
  wholeBetween,
} from '../../core/task-parameter.ts'

/**
 * Models with the same parameters. Source: BFL API reference, the page of each model, and "Pricing" (one credit is a cent), stored copies read
 * 2026-11-23.
 */
export interface Family {
  readonly parameters: Parameters
  /** `null`: an image keeps the size of what it is made from. */
  readonly sizes: PixelSizes | { readonly ratios: readonly string[] } | null
  readonly images: {
    /** The member that has the first one. */
    readonly name: string
    readonly least: number
    readonly max: number
    /** Takes addresses of the web beside base64. */
    readonly takesAddresses: boolean
  }
  /** @param size `null`: the model chooses it. @param inputs number of input images */
  readonly credits: (size: Size | null, inputs: number) => number
}

export interface Size {
  readonly width: number
  readonly height: number
}

interface PixelSizes {
  /** Sides are multiples of it. */
  readonly step: number
  readonly least: number
  readonly most: number
  readonly pixelsMax: number
  /** What is sent if the client names none. */
  readonly usual: Size
}

const megapixel = 1024 * 1024

/** Output of the second generation, and its output and input together. */
const outputMax = 4
const wholeMax = 9

/** `aspect_ratio` may be any between the first and the last of these. */
const ratios = ['21:9', '2:1', '16:9', '3:2', '4:3', '5:4', '1:1', '4:5', '3:4', '2:3', '9:16', '1:2', '9:21']

const anyRatio: Parameter = jsonThat((value) => {
  const [, width = '', height = ''] = /^(\d{1,4}):(\d{1,4})$/.exec(typeof value === 'string' ? value : '') ?? []
  const ratio = Number(width) / Number(height)
  return ratio >= 9 / 21 && ratio <= 21 / 9
})

const anySeed = wholeBetween(0, Number.MAX_SAFE_INTEGER)

const formats = oneOf(['jpeg', 'png', 'webp'])

/** Usual values: the vendor's schema of each model, as clients of 2026 quote it, read 2026-11-26. */
function parametersWith(toleranceMax: number, others: Parameters): Parameters {
  return {
    seed: anySeed,
    safety_tolerance: usually(2, wholeBetween(0, toleranceMax)),
    output_format: formats,
    ...others,
  }
}

/** Megapixels are counted in whole ones. Each input counts like output beyond the first, and what is unknown as the most that is possible. */
function byMegapixels(first: number, further: number, input: number): Family['credits'] {
  return (size, inputs) => {
    const output = size === null ? outputMax : Math.ceil((size.width * size.height) / megapixel)
    const read = Math.max(inputs, Math.min(inputs * outputMax, wholeMax - output))
    return rounded(first + (output - 1) * further + read * input)
  }
}

/** Sums of tenths have digits that no price has. */
function rounded(credits: number): number {
  return Math.round(credits * 1000) / 1000
}

function secondGeneration(inputsMax: number, credits: Family['credits'], others: Parameters): Family {
  return {
    parameters: parametersWith(5, { output_format: usually('jpeg', formats), ...others }),
    sizes: { step: 16, least: 64, most: 65_536, pixelsMax: outputMax * megapixel, usual: { width: 1024, height: 1024 } },
    images: { name: 'input_image', least: 0, max: inputsMax, takesAddresses: true },
    credits,
  }
}

const exact = { disable_pup: usually(false, flag) }

function kontext(credits: number): Family {
  return {
    parameters: parametersWith(6, { prompt_upsampling: flag, aspect_ratio: anyRatio }),
    sizes: { ratios },
    images: { name: 'input_image', least: 0, max: 4, takesAddresses: true },
    credits: () => credits,
  }
}

function firstGeneration(credits: number, others: Parameters): Family {
  return {
    parameters: parametersWith(6, { prompt_upsampling: usually(false, flag), ...others }),
    sizes: { step: 32, least: 256, most: 1440, pixelsMax: 1440 * 1440, usual: { width: 1024, height: 768 } },
    images: { name: 'image_prompt', least: 0, max: 1, takesAddresses: false },
    credits: () => credits,
  }
}

function tool(credits: number, others: Parameters): Family {
  const painting = { steps: wholeBetween(15, 50), guidance: numberBetween(1.5, 100), prompt_upsampling: flag }
  return {
    parameters: parametersWith(6, { ...painting, ...others }),
    sizes: null,
    images: { name: 'image', least: 1, max: 1, takesAddresses: false },
    credits: () => credits,
  }
}

const pro = secondGeneration(8, byMegapixels(3, 1.5, 1.5), exact)
const klein9 = secondGeneration(4, byMegapixels(1.5, 0.2, 0.2), {})
const added = wholeBetween(0, 2048)

const families: ReadonlyMap<string, Family> = new Map([
  ['flux-2-max', secondGeneration(8, byMegapixels(7, 3, 1.5), exact)],
  ['flux-2-pro', pro],
  ['flux-2-pro-preview', pro],
  [
    'flux-2-flex',
    secondGeneration(8, byMegapixels(5, 5, 5), {
      prompt_upsampling: usually(true, flag),
      guidance: usually(5, numberBetween(1.5, 10)),
      steps: usually(50, wholeBetween(1, 50)),
    }),
  ],
  ['flux-2-klein-9b', klein9],
  ['flux-2-klein-9b-preview', klein9],
  ['flux-2-klein-4b', secondGeneration(4, byMegapixels(1.4, 0.1, 0.1), {})],
  ['flux-kontext-max', kontext(8)],
  ['flux-kontext-pro', kontext(4)],
  [
    'flux-pro-1.1-ultra',
    {
      ...firstGeneration(6, { raw: usually(false, flag), image_prompt_strength: numberBetween(0, 1), aspect_ratio: anyRatio }),
      sizes: { ratios },
    },
  ],
  ['flux-pro-1.1', firstGeneration(4, {})],
  ['flux-dev', firstGeneration(2.5, { steps: wholeBetween(1, 50), guidance: numberBetween(1.5, 5) })],
  ['flux-pro-1.0-fill', tool(5, { mask: imageAddress })],
  ['flux-pro-1.0-expand', tool(5, { top: added, bottom: added, left: added, right: added })],
])

/** `null`: no such model makes images, so its price is unknown. */
export function familyOf(model: string): Family | null {
  return families.get(model) ?? null
}

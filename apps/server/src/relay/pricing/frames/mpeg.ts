/** Kilobits per second by the code in a header: of version 1 by its layer, of version 2 of layer I and of the others. */
const bitRates = [
  [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
] as const
const sampleRates = [44_100, 48_000, 32_000] as const
/** What the rate is divided by, by the code of the version: 2.5, none, 2 and 1. */
const versionDivisors = [4, 1, 2, 1] as const
const aacRates = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350] as const

/** Bytes of a header that are read. */
const headBytes = 7

interface Frame {
  readonly byteLength: number
  readonly seconds: number
}

/** Seconds of MPEG audio (ISO/IEC 11172-3, 2.4.1.3) or AAC with ADTS headers (ISO/IEC 14496-3, 1.A.2.2) by its frames, wherever they are. */
export function mpegSeconds(bytes: Buffer): number {
  let seconds = 0
  let isInside = false
  for (let at = bytes.indexOf(0xff); at !== -1 && at + headBytes < bytes.length; ) {
    const frame: Frame | null = isInside ? frameAt(bytes, at) : firstFrameAt(bytes, at)
    const next: number = at + (frame?.byteLength ?? 1)
    seconds += frame?.seconds ?? 0
    isInside = frame !== null && bytes[next] === 0xff
    at = isInside ? next : bytes.indexOf(0xff, next)
  }
  return seconds
}

/** A frame that another one or the end follows: single headers occur in other bytes, too. */
function firstFrameAt(bytes: Buffer, at: number): Frame | null {
  const frame = frameAt(bytes, at)
  if (frame === null) return null
  const next = at + frame.byteLength
  return next + headBytes >= bytes.length || frameAt(bytes, next) !== null ? frame : null
}

/** `null`: no frame begins here. */
function frameAt(bytes: Buffer, at: number): Frame | null {
  const second = bytes[at + 1] ?? 0
  const third = bytes[at + 2] ?? 0
  if (second < 0xe0 || (third >= 0xf0 && (second & 6) !== 0)) return null
  const head = bytes.readUInt32BE(at)
  const layer = 4 - ((head >>> 17) & 3)
  if (layer === 4) return head >>> 20 === 0xfff ? aacFrame(bytes, at) : null
  return mpegFrame(head, layer)
}

function mpegFrame(head: number, layer: number): Frame | null {
  const version = (head >>> 19) & 3
  const isFirst = version === 3
  const kilobits = bitRates[isFirst ? layer - 1 : Math.min(4, layer + 2)]?.[(head >>> 12) & 0xf] ?? 0
  const rate = (sampleRates[(head >>> 10) & 3] ?? 0) / (versionDivisors[version] ?? 1)
  if (version === 1 || kilobits === 0 || rate === 0) return null
  const [slotBytes, samples] = layer === 1 ? [4, 384] : [1, layer === 3 && !isFirst ? 576 : 1152]
  const slots = Math.floor((samples * kilobits * 125) / rate / slotBytes) + ((head >>> 9) & 1)
  return { byteLength: slots * slotBytes, seconds: samples / rate }
}

function aacFrame(bytes: Buffer, at: number): Frame | null {
  const rate = aacRates[(bytes.readUInt8(at + 2) >> 2) & 0xf]
  const byteLength = (bytes.readUInt32BE(at + 3) >>> 13) & 0x1fff
  const blocks = (bytes.readUInt8(at + 6) & 3) + 1
  return rate === undefined || byteLength < 7 ? null : { byteLength, seconds: (1024 * blocks) / rate }
}

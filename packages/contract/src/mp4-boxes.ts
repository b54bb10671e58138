/** A box of an MP4 file (ISO/IEC 14496-12, 4.2), with the bytes that it is in. */
export interface Mp4Box {
  readonly type: string
  readonly view: DataView
  /** Of its content. */
  readonly start: number
  readonly end: number
  /** It says that it is longer than the box around it. */
  readonly isCut: boolean
}

/** Boxes and entries of tables that may still be read; below zero: the file has more of them. */
export interface Mp4Budget {
  left: number
}

/** Entries that take as long and as much memory as a box. */
const boxCost = 16

/** The boxes within one, or within a whole file. */
export function boxesIn({ view, start, end }: Pick<Mp4Box, 'view' | 'start' | 'end'>, budget: Mp4Budget): readonly Mp4Box[] {
  const boxes: Mp4Box[] = []
  for (let at = start; at + 8 <= end && budget.left >= 0; ) {
    budget.left -= boxCost
    const size = view.getUint32(at)
    const isLong = size === 1 && at + 16 <= end
    const length = isLong ? Number(view.getBigUint64(at + 8)) : size === 0 ? end - at : size
    const head = isLong ? 16 : 8
    if (length < head) break
    boxes.push({ type: typeAt(view, at + 4), view, start: at + head, end: Math.min(end, at + length), isCut: at + length > end })
    at += length
  }
  return boxes
}

function typeAt(view: DataView, at: number): string {
  return String.fromCharCode(view.getUint8(at), view.getUint8(at + 1), view.getUint8(at + 2), view.getUint8(at + 3))
}

/** A number of a box, counted from the beginning of its content; 0: the box is shorter. */
export function uint32In({ view, start, end }: Mp4Box, offset: number): number {
  return start + offset + 4 <= end ? view.getUint32(start + offset) : 0
}

/** As `uint32In`, of 64 bits. */
export function uint64In(box: Mp4Box, offset: number): number {
  return uint32In(box, offset) * 0x1_0000_0000 + uint32In(box, offset + 4)
}

/** Whether a box has the version whose times have 64 bits. */
export function hasLongTimes(box: Mp4Box): boolean {
  return uint32In(box, 0) >>> 24 === 1
}

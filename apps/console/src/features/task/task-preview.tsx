import type { TaskKind, TaskResultRow, TaskRow } from '@sluice/contract'
import { Clapperboard, FileText, Image, Layers, type LucideIcon, Music, Pause, Play } from 'lucide-react'
import { useRef, useState } from 'react'
import { gatewayPath } from '../../lib/gateway-address.ts'
import { useT } from '../../lib/t.ts'
import { cx } from '../../lib/text.ts'
import { nameOf } from './task-format.tsx'

const kindIcons: Readonly<Record<TaskKind, LucideIcon>> = { videos: Clapperboard, songs: Music, pictures: Image, batches: Layers }

const find = (row: TaskRow, ...variants: readonly string[]): TaskResultRow | undefined =>
  row.results.find(({ variant, url }) => url !== null && variants.includes(variant))

const frame = 'relative flex h-9 w-14 shrink-0 items-center justify-center overflow-hidden rounded-sm border bg-sunken text-muted'

/** A task's result, small: a video that moves while it is pointed at, an image, or a button that plays audio. */
export function TaskPreview({ row }: { readonly row: TaskRow }) {
  const video = find(row, 'video')
  const still = find(row, 'image', 'thumbnail')
  const audio = find(row, 'audio')
  if (audio?.url != null) return <AudioPreview address={audio.url} still={still?.url ?? null} name={nameOf(row)} />
  if (video?.url != null) return <VideoPreview address={video.url} still={still?.url ?? null} />
  if (still?.url != null) return <img src={gatewayPath(still.url)} alt="" loading="lazy" className={cx(frame, 'object-cover')} />
  const Icon = row.results.some(({ text }) => text !== null) ? FileText : kindIcons[row.kind]
  return (
    <span className={frame}>
      <Icon aria-hidden className="size-4" />
    </span>
  )
}

interface PreviewProps {
  readonly address: string
  /** An image that stands for it; `null` = there is none. */
  readonly still: string | null
}

/** Where the vendor has an image of it, the video itself is not loaded until it is pointed at. */
function VideoPreview({ address, still }: PreviewProps) {
  const [src] = useState(address)
  const [image, setImage] = useState(still)
  const [isPlaying, setPlaying] = useState(false)
  return (
    <span style={{ backgroundColor: 'black' }} className={frame}>
      <video
        src={gatewayPath(src)}
        preload={image === null ? 'metadata' : 'none'}
        muted
        loop
        playsInline
        aria-hidden
        tabIndex={-1}
        onPlaying={() => setPlaying(true)}
        onPointerEnter={({ currentTarget }) => void currentTarget.play().catch(() => null)}
        onPointerLeave={({ currentTarget }) => currentTarget.pause()}
        className="size-full object-cover"
      />
      {image === null || isPlaying ? null : (
        <img
          src={gatewayPath(image)}
          alt=""
          loading="lazy"
          onError={() => setImage(null)}
          className="pointer-events-none absolute inset-0 size-full object-cover"
        />
      )}
    </span>
  )
}

function AudioPreview({ address, still, name }: PreviewProps & { readonly name: string }) {
  const t = useT()
  const player = useRef<HTMLAudioElement>(null)
  const [src] = useState(address)
  const [isPlaying, setPlaying] = useState(false)
  const Icon = isPlaying ? Pause : Play
  const toggle = () => {
    if (isPlaying) player.current?.pause()
    else void player.current?.play().catch(() => null)
  }
  return (
    <button type="button" aria-label={t(isPlaying ? 'task.sound.pause' : 'task.sound.play', { name })} onClick={toggle} className={frame}>
      {still === null ? null : <img src={gatewayPath(still)} alt="" loading="lazy" className="absolute inset-0 size-full object-cover" />}
      <span className="relative flex size-6 items-center justify-center rounded-full bg-surface text-text">
        <Icon aria-hidden className="size-3.5" />
      </span>
      {/* biome-ignore lint/a11y/useMediaCaption: made music has no captions */}
      <audio
        ref={player}
        src={gatewayPath(src)}
        preload="none"
        onPlay={() => setPlaying(true)}
        onPause={() => setPlaying(false)}
        onEnded={() => setPlaying(false)}
      />
    </button>
  )
}

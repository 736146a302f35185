/** Plays a run back: how far its lanes are shown, which moves as virtual time passes. */
import { useEffect, useState } from "react"
import type { Drawing } from "./drawing.ts"

/** The movement of the lanes at single speed. */
const pixelsPerSecond = 60

/** The last shows each event when it comes. */
export const speeds = [1, 4, 16, 64, Infinity] as const

/** Where the playback is, and how to move it. */
export interface Playback {
  /** The place up to which the lanes are shown. */
  readonly x: number
  /** How many events are shown. */
  readonly count: number
  readonly isPlaying: boolean
  readonly speed: number
  readonly setSpeed: (speed: number) => void
  readonly toggle: () => void
  /** To the next instant at which something happens, or back to the one before. */
  readonly step: (direction: 1 | -1) => void
  /** Shows so many events. */
  readonly seek: (count: number) => void
}

const prefersNoMotion = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches

/** `hasEnded`: no further event comes. */
export const usePlayback = (drawing: Drawing, hasEnded: boolean): Playback => {
  const [place, setPlace] = useState(0)
  const [isOn, setOn] = useState(true)
  const [speed, setSpeed] = useState<number>(() => (prefersNoMotion() ? Infinity : 4))
  const { endX, events } = drawing
  const x = isOn && speed === Infinity ? endX : Math.min(place, endX)
  const isPlaying = isOn && !(hasEnded && x >= endX)
  useEffect(() => {
    if (!isPlaying || speed === Infinity) return
    let last = performance.now()
    let handle = 0
    const frame = (now: number) => {
      const passed = (now - last) / 1000
      last = now
      setPlace((before) => Math.min(drawing.endX, before + passed * speed * pixelsPerSecond))
      handle = requestAnimationFrame(frame)
    }
    handle = requestAnimationFrame(frame)
    return () => cancelAnimationFrame(handle)
  }, [drawing, isPlaying, speed])
  const count = drawing.countAt(x)
  const pauseAt = (event: number) => {
    setOn(false)
    setPlace(events[Math.max(0, Math.min(events.length - 1, event))]?.x ?? 0)
  }
  const isAtEnd = hasEnded && x >= endX
  return {
    x,
    count,
    isPlaying,
    speed,
    setSpeed: (next) => {
      setPlace(x)
      setSpeed(next)
    },
    toggle: () => {
      setPlace(isAtEnd ? 0 : x)
      // From the end it plays again, which at the highest speed nobody would see.
      if (isAtEnd && speed === Infinity) setSpeed(4)
      setOn(!isPlaying)
    },
    step: (direction) => {
      if (direction === 1) return pauseAt(count)
      let before = count - 1
      while (before > 0 && events[before]!.x >= x) before--
      pauseAt(before)
    },
    seek: (to) => pauseAt(to - 1)
  }
}

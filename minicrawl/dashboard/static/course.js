// The crawl over time, from the store: points at rising seconds of crawling, in all runs.

// A value over the crawl's time.
export function curve(points, name) {
  return points.filter((point) => point[name] !== undefined).map((point) => [point.seconds, point[name]]);
}

// The rate of a value between consecutive points.
export function speeds(points, name) {
  return points.slice(1).map((point, index) => {
    const before = points[index];
    const seconds = point.seconds - before.seconds;
    return [(before.seconds + point.seconds) / 2, seconds > 0 ? (point[name] - before[name]) / seconds : 0];
  });
}

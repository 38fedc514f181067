// How the crawl has gone on, as the store has it: points at rising seconds of crawling, in all runs.

// A figure over the time of crawling.
export function curve(points, name) {
  return points.filter((point) => point[name] !== undefined).map((point) => [point.seconds, point[name]]);
}

// How fast a figure has risen, between two points each.
export function speeds(points, name) {
  return points.slice(1).map((point, index) => {
    const before = points[index];
    const seconds = point.seconds - before.seconds;
    return [(before.seconds + point.seconds) / 2, seconds > 0 ? (point[name] - before[name]) / seconds : 0];
  });
}

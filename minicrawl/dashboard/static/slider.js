// A setting of the crawl as a slider. Beside it stands the crawl's value; while the slider is moved, and until the crawl
// has answered, the new value in another colour.

import {el, setText} from "./dom.js";

let number = 0;

export class Slider {
  // steps: the possible values, rising; text(value): its label; without: the label of an unset setting.
  constructor(app, name, title, steps, text, without = "") {
    Object.assign(this, {app, name, steps, text, without, value: null, wanted: null, isSending: false});
    const id = `slider-${(number += 1)}`;
    this.input = el("input", {type: "range", id, min: "0", max: String(steps.length - 1), step: "1", oninput: () => this.move()});
    this.output = el("output", {for: id});
    this.node = el("div", {class: "slider", "data-setting": name}, el("label", {for: id}, title), this.output, this.input);
  }

  // One request at a time, followed by one for the slider's latest place.
  async move() {
    this.wanted = this.steps[Number(this.input.value)];
    this.input.setAttribute("aria-valuetext", this.text(this.wanted));
    setText(this.output, this.text(this.wanted));
    this.node.classList.add("pending");
    if (this.isSending) return;
    this.isSending = true;
    while (this.wanted !== null) {
      const wanted = this.wanted;
      const answer = await this.app.do({do: "set", settings: {[this.name]: wanted}});
      if (answer) this.place(wanted);
      if (this.wanted === wanted || !answer) this.wanted = null;
    }
    this.isSending = false;
    this.node.classList.remove("pending");
    if (this.value !== null) this.place(this.value);
  }

  place(value) {
    this.value = value;
    if (this.wanted === null || this.wanted === value) setText(this.output, this.text(value));
    const nearest = this.steps.reduce((best, step, index) => (Math.abs(step - value) < Math.abs(this.steps[best] - value) ? index : best), 0);
    if (!this.isSending) this.input.value = String(nearest);
    this.input.setAttribute("aria-valuetext", this.text(value));
  }

  show(settings, isFixed = false) {
    const value = settings?.[this.name];
    this.input.disabled = isFixed || value === undefined;
    this.input.hidden = Boolean(settings) && value === undefined;
    if (this.input.hidden) setText(this.output, this.without);
    if (!this.isSending && value !== undefined && value !== this.value) this.place(value);
  }
}

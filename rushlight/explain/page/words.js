// The words of the page that a newcomer may not know, each explained in a sentence. `word` gives the
// word with its explanation as a tooltip; all of them stand in the list at the end of the overview.

const WORDS = {
  "step": "One round of training: a batch is loaded, the model computes (forward), gradients are computed (backward), and the optimiser changes the parameters. It ends with the optimiser's step; optimisers that take turns, as those of a GAN, share one. An evaluation between two steps is in neither.",
  "forward": "The model computes its results from the batch, and the loss from them.",
  "backward": "From the loss back to the parameters: for each operation its derivative is computed, last operation first.",
  "optimiser": "What changes the parameters by their gradients: SGD, Adam and others.",
  "Python between": "Time of the step in which neither data was loaded, nor the model, the backward or the optimiser ran: the program's own Python, and what this recording did not look into. Python inside of the model and the backward counts as theirs.",
  "operation": "One computation on tensors, such as a sum or a convolution.",
  "module": "A part of the model, such as a layer, or layers together.",
  "gradient": "How the loss changes when a value changes: one number for each number of the value, in .grad.",
  "saved for backward": "Values that stay in memory after the forward because a derivative reads them. They are freed as backward uses them.",
  "FLOP": "One floating-point operation, such as an addition or a multiplication. MFLOP: a million of them; GFLOP: a thousand million.",
  "share of the machine": "The time that the machine would need for a call at its best (the greater of its arithmetic at full speed and its bytes at full bandwidth), divided by the time that the call took. 100 % cannot be beaten, but for data that is still in a cache.",
  "limited by": "What would have to be faster for the call to be faster. Arithmetic: the cores compute nearly all the time. Memory: they wait for bytes. Overhead: neither is near its limit; the call is too small, or does something else.",
  "spread": "The standard deviation: how far from their mean values typically are.",
  "norm": "The length of a gradient, taken as one long vector: the square root of the sum of the squares.",
  "kernel": "The code that carries out an operation on this machine, and how it was told to (block sizes, threads).",
  "record": "What Rushlight knows of an operation: its formula, its derivative, and what the derivative reads.",
  "compiled program": "What torch.compile made of a function: one plan for forward, backward and optimiser, which is replayed. What happens inside it was not looked at one by one; print(torch.compiler.explain(step)(x)) shows the plan.",
  "peak": "The moment of the step at which most memory is held.",
  "checkpoint": "torch.utils.checkpoint: a part keeps nothing for backward and is computed once more when backward needs it. Memory for time.",
  "detach": "x.detach(): the same values without their history. No gradient goes back through it.",
  "no_grad": "with torch.no_grad(): operations keep nothing for a backward. For evaluation.",
  "NaN": "Not a number: the result of 0/0, of the logarithm of a negative number, of ∞ − ∞. It spreads to all that is computed from it.",
  "Inf": "Infinity: a number that was too large for its type, the result of 1/0, or of the logarithm of 0. What is computed from it is often NaN.",
  "dead ReLU": "A ReLU that gives nothing but zeros: its gradient is zero too, so that nothing before it learns by it.",
};

const word = (name, text) => html`<span class="word" title="${WORDS[name]}">${text ?? name}</span>`;

function glossary() {
  return html`<details class="glossary"><summary>The words of this page</summary><dl>${
    Object.entries(WORDS).map(([name, about]) => html`<div><dt>${name}</dt><dd>${about}</dd></div>`)
  }</dl></details>`;
}

const PHASE_NAMES = {
  data: "data loading", zero_grad: "clearing gradients", forward: "forward", backward: "backward",
  optimizer: "optimiser", compiled: "compiled program",
  other: "other calls", python: "Python between",
};
// What a call is, by its kind; modules and operations say so by their names.
const KIND_ABOUT = {
  loader: "waits for a batch", zero_grad: "clears gradients", backward: "computes gradients",
  optimizer: "changes parameters", item: "takes a number out of a tensor", compiled: "a compiled program",
  collective: "between processes", leaf: "adds into .grad",
};
const ROLE_ABOUT = {
  "parameter": "what the model learns",
  "buffer": "what the model keeps without learning it, such as running means",
  "optimizer state": "what the optimiser keeps for each parameter, such as moments",
  "gradient": "in .grad, or on its way there",
  "batch": "what the model was given",
  "saved for backward": "kept because a derivative will read it",
  "result": "results that the program holds",
  "other": "anything else",
};

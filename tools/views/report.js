// Zoom, search, and the neighbours of a node. The page is complete without it.
for (const view of document.querySelectorAll('.view')) {
  const svg = view.querySelector('svg');
  const size = [svg.width.baseVal.value, svg.height.baseVal.value];
  const tools = document.createElement('div');
  tools.className = 'tools';
  tools.innerHTML = '<button>&minus;</button><button>+</button><button>fit</button>' +
      '<input type="search" placeholder="find an operation"/><span></span>';
  view.prepend(tools);
  const [smaller, larger, fit] = tools.querySelectorAll('button');
  const [find] = tools.querySelectorAll('input');
  const [note] = tools.querySelectorAll('span');

  let scale = 1;
  const zoom = (to) => {
    const middle = (view.scrollTop + view.clientHeight / 2) / scale;
    scale = Math.min(4, Math.max(0.05, to));
    svg.setAttribute('width', size[0] * scale);
    svg.setAttribute('height', size[1] * scale);
    view.scrollTop = middle * scale - view.clientHeight / 2;
  };
  smaller.onclick = () => zoom(scale / 1.25);
  larger.onclick = () => zoom(scale * 1.25);
  fit.onclick = () => zoom(Math.min(1, view.clientWidth / size[0]));
  view.addEventListener('wheel', (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoom(scale * (event.deltaY < 0 ? 1.1 : 1 / 1.1));
  }, {passive: false});
  // A wide graph is first seen whole, as long as its words can be read.
  const first = () => {
    if (scale === 1 && view.clientWidth > 0 && view.clientWidth < size[0])
      zoom(Math.max(0.6, view.clientWidth / size[0]));
  };
  view.parentElement.addEventListener('toggle', first);
  first();

  const nodes = [...svg.querySelectorAll('.n')];
  const edges = [...svg.querySelectorAll('.e')];
  let chosen = -1;
  const choose = (index) => {
    chosen = index === chosen ? -1 : index;
    svg.classList.toggle('chosen', chosen >= 0);
    for (const near of svg.querySelectorAll('.near')) near.classList.remove('near');
    if (chosen < 0) return;
    nodes[chosen].classList.add('near');
    for (const edge of edges) {
      const ends = [Number(edge.dataset.from), Number(edge.dataset.to)];
      if (!ends.includes(chosen)) continue;
      edge.classList.add('near');
      for (const end of ends) nodes[end].classList.add('near');
    }
  };
  nodes.forEach((node, index) => node.addEventListener('click', () => choose(index)));

  let shown = -1;
  const search = (forward) => {
    const text = find.value.toLowerCase();
    const hits = nodes.filter(
        (node) => text && node.textContent.toLowerCase().includes(text));
    for (const node of nodes) node.classList.toggle('found', hits.includes(node));
    note.textContent = text ? hits.length + ' found' : '';
    if (!hits.length) return;
    shown = forward ? (shown + 1) % hits.length : 0;
    hits[shown].scrollIntoView({block: 'center', inline: 'center'});
  };
  find.addEventListener('input', () => search(false));
  find.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') search(true);
  });
}

// A link to a pass opens it.
const openTarget = () => {
  const target = location.hash && document.getElementById(location.hash.slice(1));
  if (target && target.tagName === 'DETAILS') target.open = true;
};
addEventListener('hashchange', openTarget);
openTarget();

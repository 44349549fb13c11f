"""The topic tree: 22 disciplines, 87 topics."""

# From `oagqa_eval_lists/` in PT-Retrieval (github.com/THUDM/P-tuning-v2), one file a discipline.
DISCIPLINES: dict[str, tuple[str, ...]] = {
    "algebra": ("algebra", "polynomial"),
    "algorithm": ("algorithm", "graph_theory"),
    "astrophysics": (
        "astronomy",
        "astrophysics",
        "universe",
        "cosmology",
        "general_relativity",
        "special_relativity",
        "spacetime",
        "dark_matter",
        "black_hole",
        "entropy",
        "string_theory",
    ),
    "biochemistry": ("biochemistry", "cell_biology"),
    "calculus": ("calculus", "partial_differential_equation", "functional_analysis", "hilbert_space", "real_analysis"),
    "chemistry": (
        "organic_chemistry",
        "chemical_synthesis",
        "inorganic_chemistry",
        "physical_chemistry",
        "computational_chemistry",
    ),
    "computer_vision": ("computer_vision", "computer_graphics_images", "convolutional_neural_network"),
    "data_mining": ("data_mining", "feature_selection", "cross_validation", "time_series", "cluster_analysis"),
    "deep_learning": ("deep_learning", "optimization_algorithm", "reinforcement_learning"),
    "economics": ("economics",),
    "geometry": (
        "geometry",
        "algebraic_geometry",
        "algebraic_topology",
        "differential_geometry",
        "group_theory",
        "category",
        "topology",
    ),
    "health_care": ("health_care", "endocrinology", "physiology"),
    "linear_algebra": ("linear_algebra", "matrix"),
    "machine_learning": ("machine_learning", "hidden_markov_model", "classifier", "linear_regression"),
    "natural_science": ("natural_science", "evolutionary_biology"),
    "neural_network": ("artificial_neural_network", "cognitive_science"),
    "nlp": ("natural_language_processing", "recurrent_neural_network"),
    "number_theory": ("number_theory", "combinatorics", "set_theory", "prime_number"),
    "physics": (
        "classical_mechanics",
        "condensed_matter_physics",
        "optics",
        "electromagnetism",
        "mathematical_physics",
    ),
    "psychology": ("social_psychology", "cognitive_neuroscience"),
    "quantum_mechanics": (
        "quantum_mechanics",
        "quantum_entanglement",
        "quantum_field_theory",
        "quantum_gravity",
        "quantum_information",
        "particle_physics",
        "photon",
        "supersymmetry",
        "thermodynamics",
        "experimental_physics",
        "conformal_field_theory",
        "gauge_theory",
    ),
    "statistics": ("mathematical_statistics", "bayes_theorem", "probability_theory"),
}
"""Discipline -> its topics, in upstream's order. Upstream spells psychology `psycology`."""

TOPICS: tuple[str, ...] = tuple(topic for topics in DISCIPLINES.values() for topic in topics)
"""All 87 topics."""

OTHER = "other"
"""The discipline of topics that are not in the tree."""

ALIASES = {"psycology": "psychology"}

_DISCIPLINE = {topic: discipline for discipline, topics in DISCIPLINES.items() for topic in topics}


def discipline_of(topic: str) -> str:
    """The discipline of a topic; `other` for one that is not in the tree."""
    return _DISCIPLINE.get(topic, OTHER)


def discipline_named(name: str) -> str:
    """A discipline by its name, or by upstream's spelling of it."""
    return ALIASES.get(name, name)

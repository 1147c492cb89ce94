package dev.posthorn.mutants;

import dev.posthorn.testkit.architecture.ModuleArchitecture;

class ArchitectureTest extends ModuleArchitecture {}

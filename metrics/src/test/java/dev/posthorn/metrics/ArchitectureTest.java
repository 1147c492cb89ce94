package dev.posthorn.metrics;

import dev.posthorn.testkit.architecture.ModuleArchitecture;

class ArchitectureTest extends ModuleArchitecture {}

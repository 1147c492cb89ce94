package dev.posthorn.embedded.kafka;

import dev.posthorn.testkit.architecture.ModuleArchitecture;

class ArchitectureTest extends ModuleArchitecture {}

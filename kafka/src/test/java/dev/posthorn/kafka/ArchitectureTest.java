package dev.posthorn.kafka;

import dev.posthorn.testkit.architecture.ModuleArchitecture;

class ArchitectureTest extends ModuleArchitecture {}

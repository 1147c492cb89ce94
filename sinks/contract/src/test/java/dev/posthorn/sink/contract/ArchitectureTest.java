package dev.posthorn.sink.contract;

import dev.posthorn.testkit.architecture.ModuleArchitecture;

class ArchitectureTest extends ModuleArchitecture {}

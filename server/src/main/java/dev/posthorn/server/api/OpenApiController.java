package dev.posthorn.server.api;

import dev.posthorn.server.access.Open;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Serves the description that is in the repository as {@code docs/openapi.yaml}. */
@RestController
@Tag(name = "api")
class OpenApiController {

    private static final String TYPE = "application/yaml";

    private final Resource document = new ClassPathResource("openapi.yaml", OpenApiController.class);

    @GetMapping(path = "/v1/openapi.yaml", produces = TYPE)
    @Open
    @Operation(summary = "This description of the API")
    ResponseEntity<Resource> document() {
        return ResponseEntity.ok().header("Content-Type", TYPE).body(document);
    }
}

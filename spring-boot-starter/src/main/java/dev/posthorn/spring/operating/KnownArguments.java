package dev.posthorn.spring.operating;

import dev.posthorn.error.Nearest;
import java.util.List;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameter;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;

/** Refuses what an operation does not know. The actuator leaves it out, and with a field misspelt more would be replayed. */
final class KnownArguments implements OperationInvokerAdvisor {

    private static final EndpointId OURS = EndpointId.of("posthorn");

    @Override
    public OperationInvoker apply(
            EndpointId endpoint, OperationType type, OperationParameters parameters, OperationInvoker invoker) {
        if (!endpoint.equals(OURS)) {
            return invoker;
        }
        List<String> known =
                parameters.stream().map(OperationParameter::getName).toList();
        return context -> {
            context.getArguments().keySet().stream()
                    .filter(each -> !known.contains(each))
                    .findFirst()
                    .ifPresent(each -> refuse(each, known));
            return invoker.invoke(context);
        };
    }

    private static void refuse(String name, List<String> known) {
        String problem = "there is no '" + name + "'"
                + Nearest.to(name, known)
                        .map(each -> "; did you mean " + each + "?")
                        .orElse("");
        throw new InvalidEndpointRequestException(problem, problem);
    }
}

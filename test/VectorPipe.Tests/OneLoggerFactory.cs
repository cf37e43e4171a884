using Microsoft.Extensions.Logging;

namespace VectorPipe.Tests;

/// <summary>Gives every category the same logger, which its owner keeps.</summary>
internal sealed class OneLoggerFactory(ILogger logger) : ILoggerFactory
{
    public ILogger CreateLogger(string categoryName) => logger;

    public void AddProvider(ILoggerProvider provider) => throw new NotSupportedException("One logger, no providers.");

    public void Dispose()
    {
    }
}

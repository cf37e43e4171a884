using NUnit.Framework;

namespace VectorPipe.TestHost;

/// <summary>A larger bound for a test, or for the tests of a fixture, that works longer than others without a sign of progress.</summary>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Method)]
internal sealed class HangSecondsAttribute(int seconds) : PropertyAttribute(seconds);

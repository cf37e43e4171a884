using NUnit.Framework;

namespace VectorPipe.TestHost;

/// <summary>A larger bound for a test or fixture that works long without a sign of progress.</summary>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Method)]
internal sealed class HangSecondsAttribute(int seconds) : PropertyAttribute(seconds);

using NUnit.Framework;
using NUnit.Framework.Internal;

namespace VectorPipe.Tests;

/// <summary>Marks tests that measure allocations, time or descriptors of their process: no other test runs in it then.</summary>
/// <remarks>The category of the same name lets them run in a process of their own, beside that of the others instead of after it.</remarks>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Method, Inherited = false)]
internal sealed class AloneAttribute : ParallelizableAttribute
{
    public AloneAttribute()
        : base(ParallelScope.None) => Properties.Add(PropertyNames.Category, "Alone");
}

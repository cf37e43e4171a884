using VectorPipe.Numerics.Distances;

namespace VectorPipe.Tests.Numerics;

/// <summary>A check that can be run with any register width.</summary>
internal interface IKernelCheck
{
    void Run<TFloat, TInteger>()
        where TFloat : struct, ILanes<TFloat, float>
        where TInteger : struct, ILanes<TInteger, int>;
}

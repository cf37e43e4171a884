namespace VectorPipe.Numerics.Panels;

/// <summary>One candidate of float32 components, where there is no vector hardware.</summary>
internal readonly unsafe struct ScalarFloatPanelLanes : IPanelLanes<ScalarFloatPanelLanes>
{
    private readonly float _value;

    private ScalarFloatPanelLanes(float value) => _value = value;

    public static int Count => 1;

    public static bool IsSupported => true;

    public static ScalarFloatPanelLanes Load(byte* words) => new(*(float*)words);

    public static ScalarFloatPanelLanes Broadcast(byte* word) => new(*(float*)word);

    public static ScalarFloatPanelLanes Accumulate(ScalarFloatPanelLanes sums, ScalarFloatPanelLanes panel, ScalarFloatPanelLanes row)
    {
        float difference = panel._value - row._value;
        return new(float.MultiplyAddEstimate(difference, difference, sums._value));
    }

    public static void Store(ScalarFloatPanelLanes sums, byte* target) => *(float*)target = sums._value;
}

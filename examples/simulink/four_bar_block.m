% A four-bar as a block of Simulink, driven by a torque at its crank.
%
% Before: mbsym export simulink four_bar -o block
% The block's parameters are run-time parameters, initial coordinates and initial speeds; [] takes the model's own.

cd block
mex four_bar_sfun.c four_bar.c

system = 'four_bar_example';
new_system(system)
add_block('simulink/User-Defined Functions/S-Function', [system '/four_bar'], ...
    'FunctionName', 'four_bar_sfun', 'Parameters', '[], [], []')
add_block('simulink/Sources/Constant', [system '/torques'], 'Value', '[0.3; 0; 0]')
add_block('simulink/Sinks/To Workspace', [system '/q'], 'VariableName', 'q')
add_block('simulink/Sinks/To Workspace', [system '/v'], 'VariableName', 'v')
add_line(system, 'torques/1', 'four_bar/1')
add_line(system, 'four_bar/1', 'q/1')
add_line(system, 'four_bar/2', 'v/1')
set_param(system, 'Solver', 'ode45', 'RelTol', '1e-9', 'StopTime', '1')
sim(system);
